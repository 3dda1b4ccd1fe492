/** Where the agent finds itself, for the model. */
import { release, type } from 'node:os';
import { gitTop } from '../../disk/gittop.ts';
import { gitBranchOf } from '../transcript/gitbranch.ts';

export interface Surroundings {
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly model: string;
  readonly now: Date;
  readonly shell?: string;
  /** What commands are shut in by, in words. */
  readonly sandbox?: string | undefined;
}

/** The day is that of the session's start: a text that changes would have to be sent anew. */
export function environmentText({ cwd, folders, model, now, shell, sandbox }: Surroundings): string {
  const lines = [
    `Working folder: ${cwd}`,
    ...(folders.length > 0 ? [`Further folders: ${folders.join(', ')}`] : []),
    `Git repository: ${gitTop(cwd) === undefined ? 'no' : `yes, on ${gitBranchOf(cwd)} when the session began`}`,
    `Platform: ${process.platform} (${type()} ${release()})`,
    ...(shell ? [`Shell: ${shell}`] : []),
    ...(sandbox ? [sandbox] : []),
    `Date: ${dayOf(now)}`,
    `Model: ${model}`,
  ];
  return `# Environment\n${lines.join('\n')}`;
}

/** By the clock on the wall. */
function dayOf(now: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
