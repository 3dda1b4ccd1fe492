/** Whether a server that a project brings along may be started: its own word for that counts for nothing. */

import { isProjects } from '../settings/load.ts';
import { textsIn } from '../settings/texts.ts';
import { isTrusted } from '../settings/trust.ts';
import type { Settings, SettingsFile } from '../settings/types.ts';

export interface ApprovalPlace {
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  readonly settings: Settings;
}

/** Why such a server is off. */
export const NOT_APPROVED = 'it was not approved';

export type Approval = 'yes' | 'no' | 'unsaid';

export function approvalOf(place: ApprovalPlace): (name: string) => Approval {
  let trusted: boolean | undefined;
  const counts = (file: SettingsFile): boolean => {
    if (!isProjects(file)) return true;
    trusted ??= isTrusted(place);
    return trusted;
  };
  const { files } = place.settings;
  return (name) => {
    if (files.some(({ value }) => textsIn(value.disabledMcpjsonServers).includes(name))) return 'no';
    const saying = files.filter(
      ({ value }) => value.enableAllProjectMcpServers === true || textsIn(value.enabledMcpjsonServers).includes(name),
    );
    return saying.some(counts) ? 'yes' : 'unsaid';
  };
}
