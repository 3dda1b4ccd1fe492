/** S8: which large outputs and checkpoints the lines of a copy refer to, seen while they are written. */
import { decode } from '../../format/text.ts';

export interface References {
  /** Names of files in `tool-results/`. */
  readonly outputs: ReadonlySet<string>;
  /** Names of files in `file-history/<session>/`. */
  readonly checkpoints: ReadonlySet<string>;
  see(line: Uint8Array): void;
}

const OUTPUT = /tool-results[\\/]+([\w.@+-]+)/g;
const CHECKPOINT = /"backupFileName":"([\w.@+-]+)"/g;

export function createReferences(): References {
  const outputs = new Set<string>();
  const checkpoints = new Set<string>();
  return {
    outputs,
    checkpoints,
    see(line) {
      collect(line, 'tool-results', OUTPUT, outputs);
      collect(line, '"backupFileName"', CHECKPOINT, checkpoints);
    },
  };
}

function collect(line: Uint8Array, mark: string, pattern: RegExp, names: Set<string>): void {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
  if (!bytes.includes(mark)) return;
  for (const [, name] of decode(bytes).matchAll(pattern))
    if (name !== undefined && !/^\.+$/.test(name)) names.add(name);
}
