/** The lines that tell of messages, by where they stand: of very many, only those that are shown are read again. */
import { fileSource } from '../../disk/source.ts';
import type { Line } from '../../format/lines.ts';
import { valuesOf } from '../../format/values.ts';
import { besidesOf } from '../../graph/usage/fold.ts';
import { type LineUsage, USAGE_KEEP, usageInLine, uuidInLine } from '../../graph/usage/line.ts';

export interface SeenLines {
  /** A line, and the number of its message in the file. */
  add(line: LineUsage, message: number): void;
  /** Which message of all one of the file is counted as. */
  join(message: number, counted: number): void;
  /** All of a file was told. */
  endFile(): void;
  /** In the order they were joined. */
  linesOf(counted: number): LineUsage[];
}

const NONE = -1;

export function createSeenLines(): SeenLines {
  const files: string[] = [];
  const places = { file: numbers(), line: numbers(), start: numbers(), end: numbers(), besides: numbers() };
  /** Of the same message, the one before. */
  const before = numbers();
  const inFile = new Map<number, number>();
  const counted = new Map<number, number>();

  function chainFrom(last: number): number[] {
    const chain: number[] = [];
    for (let at = last; at >= 0; at = before[at] ?? NONE) chain.push(at);
    return chain.reverse();
  }

  function link(at: number, message: number, lasts: Map<number, number>): void {
    before[at] = lasts.get(message) ?? NONE;
    lasts.set(message, at);
  }

  return {
    add({ origin, besides = NONE }, message) {
      if (files.at(-1) !== origin.file) files.push(origin.file);
      places.file.push(files.length - 1);
      places.line.push(origin.line);
      places.start.push(origin.start);
      places.end.push(origin.end);
      link(places.besides.push(besides) - 1, message, inFile);
    },
    join(message, all) {
      for (const at of chainFrom(inFile.get(message) ?? NONE)) link(at, all, counted);
    },
    endFile: () => inFile.clear(),
    linesOf(message) {
      return chainFrom(counted.get(message) ?? NONE).flatMap((at) => {
        const [number = 0, start = 0, end = 0] = [places.line[at], places.start[at], places.end[at]];
        const line = lineAt(files[places.file[at] ?? 0] ?? '', { number, start, end, terminated: true });
        const besides = places.besides[at] ?? NONE;
        return (line !== undefined && besides >= 0 ? besidesOf(line)[besides] : line) ?? [];
      });
    },
  };
}

function numbers(): number[] {
  return [];
}

/** undefined when the file has changed meanwhile. */
function lineAt(file: string, line: Line): LineUsage | undefined {
  const source = fileSource(file);
  try {
    const json = valuesOf(line, source.read(line.start, line.end), USAGE_KEEP) ?? {};
    const usage = usageInLine(json, { file, line: line.number, start: line.start, end: line.end });
    return usage && { ...usage, uuid: uuidInLine(json) };
  } finally {
    source.close();
  }
}
