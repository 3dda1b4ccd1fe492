/** Requests that could not be sent, kept on disk until the endpoint can be reached again. Oldest first; only so much. */
import { readdirSync, readFileSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolders, writeFileAtomic } from '../../disk/durable.ts';
import { codeOf, toDiskError } from '../../disk/errors.ts';
import { asArray, asNumber, asString, isObject, type Json, parseJson } from '../../format/json.ts';
import { type Holding, holdingWord, isWithin } from './holding.ts';
import type { Parcel } from './parcel.ts';

export interface Queue {
  /** Files of this endpoint, oldest first. */
  list(): string[];
  /** Whether this run may send what the file holds: it was made with no more in it than this run sends. */
  isOurs(file: string): boolean;
  /** The file; undefined where the queue is full: what is not in it is made again from the transcript. */
  put(parcels: readonly Parcel[]): string | undefined;
  /** What it holds; a file that cannot be read is put aside, as its turns are still in their transcripts. */
  take(file: string): Parcel[] | undefined;
  remove(file: string): void;
}

export const MOST_BYTES = 64 << 20;
let count = 0;

/** All endpoints share a folder and its bound. A name says when, how and for whom it was made. */
export function openQueue(folder: string, endpointKey: string, mostBytes = MOST_BYTES, holding: Holding = {}): Queue {
  const ending = `.${endpointKey}.gz`;
  const own = holdingWord(holding);
  return {
    list: () =>
      namesIn(folder)
        .filter((name) => name.endsWith(ending))
        .sort()
        .map((name) => join(folder, name)),
    isOurs: (file) => isWithin(wordIn(file), own),
    put(parcels) {
      const bytes = zlib().gzipSync(parcels.map((parcel) => `${JSON.stringify(parcel)}\n`).join(''));
      const used = namesIn(folder).reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
      if (used + bytes.length > mostBytes) return undefined;
      count += 1;
      const order = [Date.now(), process.pid, count].map((number) => String(number).padStart(13, '0')).join('-');
      const file = join(folder, `${order}.${own}${ending}`);
      makeFolders(folder, false);
      writeFileAtomic(file, bytes, { mode: 0o600, exclusive: true });
      return file;
    },
    take(file) {
      const parcels = parcelsIn(file);
      if (parcels === undefined) renameSync(file, `${file}.unreadable`);
      return parcels;
    },
    remove: (file) => unlinkSync(file),
  };
}

/** Most runs find nothing here, and need not load it. */
function zlib() {
  return process.getBuiltinModule('node:zlib');
}

/** Older versions did not write it. */
function wordIn(file: string): string {
  const [, word, ...rest] = basename(file).split('.');
  return rest.length < 2 ? holdingWord({}) : (word ?? '');
}

function parcelsIn(file: string): Parcel[] | undefined {
  let text: string;
  try {
    text = zlib().gunzipSync(readFileSync(file)).toString('utf8');
  } catch (error) {
    // Taken by another process.
    if (codeOf(error) === 'ENOENT') return [];
    if (/^E[A-Z0-9]+$/.test(codeOf(error) ?? '')) throw toDiskError(error, 'cannot read', file);
    return undefined;
  }
  const parcels = text.split('\n').flatMap((line) => (line === '' ? [] : [toParcel(parseJson(line))]));
  return parcels.every((parcel) => parcel !== undefined) ? parcels : undefined;
}

function toParcel(json: Json | undefined): Parcel | undefined {
  if (!isObject(json)) return undefined;
  const [traceId, mark] = [asString(json.traceId), asString(json.mark)];
  const [part, of] = [asNumber(json.part), asNumber(json.of)];
  const [spans, sessions = []] = [json.spans, json.sessions].map((list) =>
    asArray(list)?.flatMap((each) => asString(each) ?? []),
  );
  if (traceId === undefined || mark === undefined || part === undefined || of === undefined) return undefined;
  return spans && { traceId, mark, part, of, spans, sessions };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw toDiskError(error, 'cannot read', folder);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
