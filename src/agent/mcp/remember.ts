/** What a person said of a project's server, kept as the published client does: in the local settings of the project. */
import { gitTop } from '../../disk/gittop.ts';
import { type Changes, changeLocalSettings } from '../settings/local.ts';
import { textsIn } from '../settings/texts.ts';

/** Throws DiskError where it cannot be kept. */
export function rememberApproval(cwd: string, name: string, isYes: boolean): string {
  const lists = ['enabledMcpjsonServers', 'disabledMcpjsonServers'];
  const [add = '', take = ''] = isYes ? lists : lists.reverse();
  const file = changeLocalSettings(gitTop(cwd) ?? cwd, (settings): Changes => {
    const there = textsIn(settings[add]);
    const others = textsIn(settings[take]);
    return [
      ...(there.includes(name) ? [] : [[[add], [...there, name]] as const]),
      ...(others.includes(name) ? [[[take], others.filter((each) => each !== name)] as const] : []),
    ];
  });
  return `Remembered in ${file}.`;
}
