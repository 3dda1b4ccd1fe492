/**
 * Which turns an endpoint has taken, by trace id: copies of a turn in other sessions have the same one, and are not sent again.
 * Lines are only added, after the server's answer; a line that a crash cut off is no line, and its turn is sent once more.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
  /** accepted: by the server · queued: on disk, to be sent · new: neither, as it is now. */
  stateOf(piece: Piece): 'accepted' | 'queued' | 'new';
  /** All parts of the trace, as it is now or with more in it: a poorer copy of a turn has nothing to add (H1). */
  isSent(traceId: string, mark: string): boolean;
  accept(pieces: readonly Piece[]): void;
  /** Waits in this file of the queue; as long as that is there, it is not made again. */
  queue(pieces: readonly Piece[], file: string): void;
}

interface Known {
  readonly accepted: Set<string>;
  readonly queued: Map<string, string>;
  /** By trace and mark: how many parts there are. */
  readonly parts: Map<string, Map<string, number>>;
  torn: boolean;
}

const LINE = /^([0-9a-f]{32}) (\S+) (\d+)\/(\d+)(?: (\S+))?$/;

export function openLedger(folder: string, queueFolder: string): Ledger {
  const shards = new Map<string, Known>();
  // Few turns are looked up at a time, of however many: each of 256 files holds those of one beginning.
  const pathOf = (shard: string) => join(folder, shard);
  const shardOf = (traceId: string): Known => {
    const name = traceId.slice(0, 2);
    const known = shards.get(name) ?? read(pathOf(name));
    shards.set(name, known);
    return known;
  };

  function add(pieces: readonly Piece[], file?: string): void {
    for (const [name, some] of Map.groupBy(pieces, ({ traceId }) => traceId.slice(0, 2))) {
      const known = shardOf(name);
      const lines = some.map((piece) => `${keyOf(piece)}${file === undefined ? '' : ` ${file}`}`);
      write(folder, pathOf(name), `${known.torn ? '\n' : ''}${lines.join('\n')}\n`);
      known.torn = false;
      for (const line of lines) take(known, line);
    }
  }

  return {
    stateOf: (piece) => {
      const known = shardOf(piece.traceId);
      if (known.accepted.has(keyOf(piece))) return 'accepted';
      const file = known.queued.get(keyOf(piece));
      return file !== undefined && existsSync(join(queueFolder, file)) ? 'queued' : 'new';
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
    queue: (pieces, file) => add(pieces, basename(file)),
  };
}

function keyOf({ traceId, mark, part, of }: Piece): string {
  return `${traceId} ${mark} ${part}/${of}`;
}

function read(path: string): Known {
  const known: Known = { accepted: new Set(), queued: new Map(), parts: new Map(), torn: false };
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw toDiskError(error, 'cannot read', path);
  }
  const lines = text.split('\n');
  known.torn = lines.pop() !== '' && text !== '';
  for (const line of lines) take(known, line);
  return known;
}

function take(known: Known, line: string): void {
  const [, traceId, mark, part, of, file] = LINE.exec(line) ?? [];
  if (traceId === undefined || mark === undefined) return;
  const key = `${traceId} ${mark} ${part}/${of}`;
  if (file !== undefined) known.queued.set(key, file);
  else {
    known.accepted.add(key);
    const marks = known.parts.get(traceId) ?? new Map<string, number>();
    known.parts.set(traceId, marks.set(mark, Number(of)));
  }
}

function write(folder: string, path: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    appendFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw toDiskError(error, 'cannot write', path);
  }
}
