/** Appends lines to one file and notices when somebody else did. */
import { statSync } from 'node:fs';
import { type AppendOptions, appendLines } from '../../disk/append.ts';
import { DiskError } from '../../disk/errors.ts';

export interface Writer {
  readonly file: string;
  /** Up to here the file is what we read and wrote. */
  readonly end: number;
  /** Whether somebody else wrote to the file since. Throws DiskError when it is gone or was cut. */
  isForeign(): boolean;
  /** False when somebody else wrote in this very instant: nothing was written then, and the file is foreign. */
  append(lines: readonly string[], options: { fsync: boolean }): boolean;
}

export function createWriter(file: string, start: number, write?: AppendOptions['write']): Writer {
  let end = start;
  return {
    file,
    get end() {
      return end;
    },
    isForeign() {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size < end) {
        const what = size === 0 ? 'the session’s file is gone' : 'the session’s file became shorter';
        const next = 'Nothing more was written. Start a new session, or bring the file back: skein archive restore';
        throw new DiskError({ what, where: file, next });
      }
      return size > end;
    },
    append(lines, { fsync }) {
      const { bytes, mended, late } = appendLines(file, lines, { fsync, at: end, ...(write && { write }) });
      if (late) return false;
      end += bytes + (mended ? 1 : 0);
      return true;
    },
  };
}

/** Of a sub-agent's file there are no copies to go on in. */
export function notAlone(file: string): DiskError {
  const what = 'another program wrote to the transcript of a sub-agent';
  return new DiskError({ what, where: file, next: 'The sub-agent was ended; start it again.' });
}
