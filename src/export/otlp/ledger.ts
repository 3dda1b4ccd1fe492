/**
 * Which turns an endpoint has taken, by trace id: copies of a turn in other sessions have the same one, and are not sent again.
 * Lines are only added, after the server's answer; a line that a crash cut off is no line, and its turn is sent once more.
 */
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolders } from '../../disk/durable.ts';
import { codeOf, toDiskError } from '../../disk/errors.ts';
import { isMore } from '../../views/spans/traces.ts';

/** A trace, or one part of one that is too large for a request. */
export interface Piece {
  readonly traceId: string;
  /** What there was to send of it. */
  readonly mark: string;
  /** From 1. */
  readonly part: number;
  readonly of: number;
}

export interface Ledger {
  /**
   * accepted: by the server · outdated: it took more of the trace, if only a part of that · behind: more of the trace waits on disk ·
   * queued: on disk, to be sent · new: none of these. A row is as it was last sent, so that only what is newest may be.
   */
  stateOf(piece: Piece): 'accepted' | 'outdated' | 'behind' | 'queued' | 'new';
  /** All parts of the trace, as it is now or with more in it: a poorer copy of a turn has nothing to add (H1). */
  isSent(traceId: string, mark: string): boolean;
  accept(pieces: readonly Piece[]): void;
  /** Other processes may have added something: called when a lock was waited for. */
  lookAgain(): void;
  /** Waits in this file of the queue; as long as that is there, it is not made again. */
  queue(pieces: readonly Piece[], file: string): void;
}

interface Known {
  readonly accepted: Set<string>;
  /** By trace. */
  readonly queued: Map<string, Waiting[]>;
  /** By trace and mark: how many parts there are. */
  readonly parts: Map<string, Map<string, number>>;
  torn: boolean;
  /** Of the file, as far as it is known; more are of another process. */
  bytes: number;
  /** When that was last looked at. */
  look: number;
}

interface Waiting {
  readonly key: string;
  readonly mark: string;
  readonly file: string;
}

const LINE = /^([0-9a-f]{32}) (\S+) (\d+)\/(\d+)(?: (\S+))?$/;

/** `isOurs`: what waits in any other file of the queue may not be sent by this run; it is made again in its own way. */
export function openLedger(folder: string, queueFolder: string, isOurs = (_file: string) => true): Ledger {
  const shards = new Map<string, Known>();
  // Few turns are looked up at a time, of however many: each of 256 files holds those of one beginning.
  const pathOf = (shard: string) => join(folder, shard);
  const isThere = (file: string) => existsSync(join(queueFolder, file));
  let look = 0;
  const shardOf = (traceId: string): Known => {
    const name = traceId.slice(0, 2);
    const kept = shards.get(name);
    if (kept?.look === look) return kept;
    const isSame = kept !== undefined && kept.bytes === sizeOf(pathOf(name));
    const known = isSame ? kept : read(pathOf(name));
    known.look = look;
    shards.set(name, known);
    return known;
  };

  function add(pieces: readonly Piece[], file?: string): void {
    for (const [name, some] of Map.groupBy(pieces, ({ traceId }) => traceId.slice(0, 2))) {
      const known = shardOf(name);
      const lines = some.map((piece) => `${keyOf(piece)}${file === undefined ? '' : ` ${file}`}`);
      const text = `${known.torn ? '\n' : ''}${lines.join('\n')}\n`;
      write(folder, pathOf(name), text);
      known.torn = false;
      known.bytes += Buffer.byteLength(text);
      for (const line of lines) take(known, line);
    }
  }

  return {
    stateOf: (piece) => {
      const known = shardOf(piece.traceId);
      const { traceId, mark } = piece;
      if (known.accepted.has(keyOf(piece))) return 'accepted';
      for (const sent of known.parts.get(traceId)?.keys() ?? []) if (isMore(sent, mark)) return 'outdated';
      const waiting = known.queued.get(traceId)?.filter(({ file }) => isOurs(file) && isThere(file)) ?? [];
      if (waiting.some((each) => isMore(each.mark, mark))) return 'behind';
      return waiting.some(({ key }) => key === keyOf(piece)) ? 'queued' : 'new';
    },
    isSent: (traceId, mark) => {
      const known = shardOf(traceId);
      const isWhole = (sent: string, of: number) =>
        Array.from({ length: of }, (_, index) => index + 1).every((part) =>
          known.accepted.has(keyOf({ traceId, mark: sent, part, of })),
        );
      const marks = [...(known.parts.get(traceId) ?? [])];
      return marks.some(([sent, of]) => (sent === mark || isMore(sent, mark)) && isWhole(sent, of));
    },
    accept: (pieces) => add(pieces),
    lookAgain: () => {
      look += 1;
    },
    queue: (pieces, file) => add(pieces, basename(file)),
  };
}

function keyOf({ traceId, mark, part, of }: Piece): string {
  return `${traceId} ${mark} ${part}/${of}`;
}

function read(path: string): Known {
  const known: Known = { accepted: new Set(), queued: new Map(), parts: new Map(), torn: false, bytes: 0, look: 0 };
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw toDiskError(error, 'cannot read', path);
  }
  known.bytes = Buffer.byteLength(text);
  const lines = text.split('\n');
  known.torn = lines.pop() !== '' && text !== '';
  for (const line of lines) take(known, line);
  return known;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function take(known: Known, line: string): void {
  const [, traceId, mark, part, of, file] = LINE.exec(line) ?? [];
  if (traceId === undefined || mark === undefined) return;
  const key = `${traceId} ${mark} ${part}/${of}`;
  if (file !== undefined) {
    const others = known.queued.get(traceId)?.filter((each) => each.key !== key) ?? [];
    known.queued.set(traceId, [...others, { key, mark, file }]);
  } else {
    known.accepted.add(key);
    const marks = known.parts.get(traceId) ?? new Map<string, number>();
    known.parts.set(traceId, marks.set(mark, Number(of)));
  }
}

function write(folder: string, path: string, text: string): void {
  try {
    makeFolders(folder, false);
    appendFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw toDiskError(error, 'cannot write', path);
  }
}
