/** Where settings are looked for, by the options of a verb. */
import type { SettingsPlace } from '../../agent/settings/read.ts';
import type { Source } from '../../agent/settings/types.ts';
import type { Arguments, Option } from '../command.ts';
import { UsageError } from '../errors.ts';

export const SETTINGS_OPTIONS = {
  settings: { type: 'string', value: 'FILE', help: 'Further settings: a JSON file, or the JSON itself' },
  'setting-sources': {
    type: 'string',
    value: 'NAMES',
    help: 'Which settings to read: user, project, local (default: all; "" none of them)',
  },
} as const satisfies Record<string, Option>;

const NAMED: readonly Source[] = ['user', 'project', 'local'];

export function settingsPlace(
  args: Arguments,
  place: { readonly cwd: string; readonly home: string; readonly config: string },
): SettingsPlace {
  const { cwd, home, config } = place;
  const flag = args.value('settings');
  const sources = sourcesOf(args.value('setting-sources'));
  return { cwd, home, config, ...(flag !== undefined && { flag }), ...(sources && { sources }) };
}

function sourcesOf(text: string | undefined): readonly Source[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  return names.map((name) => {
    const source = NAMED.find((each) => each === name);
    if (source !== undefined) return source;
    throw new UsageError(
      `"${name}" is no source of settings.`,
      '--setting-sources',
      `Give some of ${NAMED.join(', ')}.`,
    );
  });
}
