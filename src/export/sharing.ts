/** Chats made ready to be shared: all are looked at, then each is copied without what must not leave. */
import type { SessionFile } from '../disk/find.ts';
import { asString } from '../format/json.ts';
import { createRedactor, type RedactorOptions } from '../redact/redactor.ts';
import { type Copy, copyFiles, learnFiles } from './copy.ts';

export type { LeftOutKind } from '../redact/binary.ts';
export type { Finding, RedactorOptions } from '../redact/redactor.ts';
export { PERSON } from '../redact/redactor.ts';

export interface Sharing {
  /** All chats that are shared together, before the first of them is copied. Throws DiskError. */
  learn(files: readonly SessionFile[]): void;
  copy(files: readonly SessionFile[], folder: string): Copy;
  /** A text that stands in no file, such as a path. */
  text(text: string): string;
}

export function createSharing(options: RedactorOptions): Sharing {
  const redactor = createRedactor(options);
  return {
    learn: (files) => learnFiles(files, redactor),
    copy: (files, folder) => copyFiles(files, redactor, folder),
    text: (text) => asString(redactor.redact(text).value) ?? '',
  };
}
