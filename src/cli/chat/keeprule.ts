/** "Do not ask again": a rule in the project's own settings, which are not shared. */
import { changeLocalSettings } from '../../agent/settings/local.ts';
import { textsIn } from '../../agent/settings/texts.ts';
import { asObject } from '../../format/json.ts';

/** Throws DiskError where it cannot be kept. */
export function keepRule(cwd: string, rule: string): void {
  changeLocalSettings(cwd, (settings) => {
    const allowed = textsIn(asObject(settings.permissions)?.allow);
    return allowed.includes(rule)
      ? []
      : [
          [
            ['permissions', 'allow'],
            [...allowed, rule],
          ],
        ];
  });
}
