/**
 * A chat's files once more, redacted, in a folder of their own. Whatever is made of the copy is made of redacted text, so no view
 * can show what it forgot to mask, nor cut a secret in two before it was found.
 */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { orNothing } from '../disk/errors.ts';
import type { SessionFile } from '../disk/find.ts';
import { closeFile, openFile, writeOnce } from '../disk/io.ts';
import { isFileAt } from '../disk/mounts.ts';
import { toolOutputsOf } from '../disk/outputs.ts';
import { readLinesOf } from '../disk/read.ts';
import { folderOf, readJsonObject } from '../disk/sidecars.ts';
import { toParsedEntry } from '../format/entry.ts';
import { asString, type JsonObject } from '../format/json.ts';
import type { LeftOutKind } from '../redact/binary.ts';
import type { Finding, Redacted, Redactor } from '../redact/redactor.ts';

export interface Copy {
  /** The files in the copy, as they were found, in the order given. */
  readonly files: readonly SessionFile[];
  /** What was masked and left out, line by line. */
  readonly notes: readonly LineNote[];
}

export interface LineNote {
  /** Of the copy. */
  readonly file: string;
  /** In the copy; for a line that was left out, in the file it was read from. */
  readonly line: number;
  readonly uuid?: string;
  readonly found: readonly Finding[];
  readonly leftOut: ReadonlyMap<LeftOutKind, number>;
}

/** First pass. Whoever shares several chats shows all of them to the redactor before the first is copied. Throws DiskError. */
export function learnFiles(files: readonly SessionFile[], redactor: Redactor): void {
  const outputs = new Set<string>();
  for (const file of files) {
    for (const { json } of linesOf(file.file, outputs)) if (json !== undefined) orNothing(() => redactor.learn(json));
    for (const [, json] of besideOf(file)) redactor.learn(json);
  }
  for (const [, text] of outputsOf(files, outputs)) redactor.learn(text);
}

/** Second pass. Throws DiskError. */
export function copyFiles(files: readonly SessionFile[], redactor: Redactor, folder: string): Copy {
  const notes: LineNote[] = [];
  const outputs = new Set<string>();
  const copies = files.map((file, place) => {
    // The same session may lie in two places.
    const below = join(folder, String(place));
    mkdirSync(join(below, file.sessionId, 'tool-results'), { recursive: true, mode: 0o700 });
    return { ...file, file: join(below, basename(file.file)), root: folder, metaFile: undefined, source: undefined };
  });
  const withMeta = copies.map((copy, place) => {
    const original = files[place];
    if (original === undefined) return copy;
    const bytes = writeAll(copy.file, redactedLines(original.file, copy.file, redactor, notes, outputs));
    const besides = besideOf(original).map(([name, json]) => {
      const path = name === TITLE ? join(folderOf(copy), name) : `${copy.file}.${name}`;
      writeAll(path, [JSON.stringify(redactor.redact(json).value)]);
      return [name, path] as const;
    });
    return { ...copy, bytes, metaFile: besides.find(([name]) => name === META)?.[1] };
  });
  const [first] = copies;
  if (first !== undefined) {
    for (const [name, text] of outputsOf(files, outputs)) {
      const shown = redactor.redact(text);
      writeAll(join(first.file.replace(/\.jsonl$/, ''), 'tool-results', name), [asString(shown.value) ?? '']);
      notes.push({ file: name, line: 0, ...noteOf(shown) });
    }
  }
  return { files: withMeta, notes };
}

function* redactedLines(
  from: string,
  to: string,
  redactor: Redactor,
  notes: LineNote[],
  outputs: Set<string>,
): Generator<string> {
  let line = 0;
  for (const { json, number, isBlank } of linesOf(from, outputs)) {
    if (isBlank) continue;
    const shown = json && orNothing(() => redactor.redact(json));
    const text = shown && orNothing(() => `${JSON.stringify(shown.value)}\n`);
    if (shown === undefined || text === undefined) {
      notes.push({ file: to, line: number, found: [], leftOut: new Map([['line', 1]]) });
      continue;
    }
    line += 1;
    if (shown.found.length > 0 || shown.leftOut.size > 0) {
      notes.push({ file: to, line, uuid: asString(json?.uuid), ...noteOf(shown) });
    }
    yield text;
  }
}

function noteOf({ found, leftOut }: Redacted): Pick<LineNote, 'found' | 'leftOut'> {
  return { found, leftOut };
}

/** How many bytes there are. */
function writeAll(file: string, texts: Iterable<string>): number {
  const fd = openFile(file, 'wx', 0o600);
  let size = 0;
  let waiting = '';
  const flush = () => {
    const bytes = Buffer.from(waiting);
    for (let done = 0; done < bytes.length; ) done += writeOnce(fd, bytes.subarray(done));
    size += bytes.length;
    waiting = '';
  };
  try {
    for (const text of texts) {
      waiting += text;
      if (waiting.length > 1 << 20) flush();
    }
    flush();
  } finally {
    closeFile(fd);
  }
  return size;
}

interface ReadLine {
  readonly number: number;
  readonly isBlank: boolean;
  readonly json: JsonObject | undefined;
}

/** The lines of a transcript; the names of large outputs that they mention (L4) are added to `outputs`. */
function* linesOf(file: string, outputs: Set<string>): Generator<ReadLine> {
  yield* readLinesOf(file, {}, function* (source, lines) {
    for (const { line, bytes } of lines) {
      const { entry, json } = toParsedEntry(source, line, bytes);
      const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      if (raw.includes('tool-results')) {
        for (const [, name = ''] of raw.toString('latin1').matchAll(OUTPUT_NAME)) outputs.add(name);
      }
      yield { number: line.number, isBlank: entry.kind === 'blank', json };
    }
  });
}

const OUTPUT_NAME = /tool-results(?:\/|\\{1,4})([\w.-]{1,200})/g;

const TITLE = 'custom-title.json';
const META = 'meta.json';

/** The small files that say more of a transcript (L3, L4). */
function besideOf(file: SessionFile): (readonly [name: string, json: JsonObject])[] {
  const title = join(folderOf(file), TITLE);
  const found = [
    [TITLE, isFileAt(title) ? readJsonObject(title) : undefined],
    [META, file.metaFile === undefined ? undefined : readJsonObject(file.metaFile)],
  ] as const;
  return found.flatMap(([name, json]) => (json === undefined ? [] : [[name, json] as const]));
}

function outputsOf(files: readonly SessionFile[], names: ReadonlySet<string>): (readonly [string, string])[] {
  const resolve = toolOutputsOf(files.map(({ file }) => file));
  return [...names].flatMap((name) => {
    const text = resolve(name);
    return text === undefined ? [] : [[name, text] as const];
  });
}
