/** From the arguments of `skein config` to what it prints. */
import { type Explained, explain, type Origin } from '../../agent/settings/explain.ts';
import { loadSettings } from '../../agent/settings/load.ts';
import { problemLines } from '../../agent/settings/problems.ts';
import { settingsFiles } from '../../agent/settings/read.ts';
import type { Settings } from '../../agent/settings/types.ts';
import type { Json } from '../../format/json.ts';
import { safeText } from '../../views/safe.ts';
import { placeOf } from '../chat/session.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { homePath } from '../layout.ts';
import { type Masking, openMask } from '../mask.ts';
import { settingsPlace } from './place.ts';

interface ProblemRow {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly what: string;
}

export async function run(context: Context, args: Arguments): Promise<number> {
  const place = settingsPlace(args, placeOf(context, args));
  const settings = await loadSettings({ ...place, print: true });
  const [key] = args.positionals;
  const isOpen = args.flag('reveal');
  const told = explain(settings, context.env).filter((row) => isAbout(row, key));
  const values = isOpen ? told : told.map(withoutKeys);
  const files = settingsFiles(place).map(({ source, file }) => ({
    source,
    file,
    exists: settings.files.some((each) => each.file === file && each.source === source),
  }));
  const problems = await problemsOf(settings);
  const mask = await openMask(context, args);
  if (args.flag('json')) context.out.write(`${mask.json({ values, files, problems })}\n`);
  else print(context, mask, values, problems, key);
  return key !== undefined && values.length === 0 ? 1 : 0;
}

function isAbout({ key }: Explained, asked: string | undefined): boolean {
  return asked === undefined || key === asked || key.startsWith(`${asked}.`);
}

/** What a variable holds that is named like a key is one, whatever it looks like. */
function withoutKeys(row: Explained): Explained {
  if (!/^env\..*(?:KEY|TOKEN|SECRET|PASSW|AUTH|CREDENTIAL|HEADERS)/i.test(row.key)) return row;
  return { ...row, value: '***', overridden: row.overridden.map((each) => ({ ...each, value: '***' })) };
}

async function problemsOf(settings: Settings): Promise<ProblemRow[]> {
  const inFiles = (await problemLines(settings)).map(({ problem, line, column }) => {
    const { file, what } = problem;
    return { file, line, column, what };
  });
  return [...inFiles, ...settings.notices.map((what) => ({ file: null, line: null, column: null, what }))];
}

function print(
  context: Context,
  mask: Masking,
  values: readonly Explained[],
  problems: readonly ProblemRow[],
  key: string | undefined,
): void {
  const { out, home } = context;
  const { dim, warn, bold } = out.style;
  const shown = (value: Json) => safeText(mask(JSON.stringify(value)));
  const from = ({ source, file, line }: Origin) =>
    file === null ? source : `${source} ${safeText(homePath(file, home))}:${line}`;
  for (const row of values) {
    out.write(`${bold(safeText(row.key))}: ${shown(row.value)}\n`);
    out.write(`  ${dim(from(row))}${row.note === null ? '' : ` ${warn(row.note)}`}\n`);
    for (const each of row.overridden) out.write(`  ${dim(`overrides ${shown(each.value)}, ${from(each)}`)}\n`);
  }
  if (values.length === 0) {
    out.write(
      key === undefined
        ? 'Nothing is set: every default holds.\n'
        : `${safeText(key)} is not set: its default holds.\n`,
    );
  }
  for (const { file, line, column, what } of problems) {
    const where = file === null ? '' : `${safeText(homePath(file, home))}:${line}:${column}: `;
    out.write(`${warn('problem:')} ${where}${safeText(what)}\n`);
  }
}
