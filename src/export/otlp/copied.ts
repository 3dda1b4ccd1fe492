/**
 * Is a session a copy of another one in part (H1)? Resumes by 1.0.x and forks copy turns, without the times of requests and without
 * agents, and some leave no sign of it in the lines: then only the original beside it tells.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SessionFile } from '../../disk/find.ts';
import { closeFile, openFile, readAt } from '../../disk/io.ts';
import type { Entry } from '../../format/entry.ts';
import { inputKind, isHumanTurnStart } from '../../format/prompt.ts';
import { projectSlug } from '../../format/slug.ts';
import type { Chat } from '../../graph/chat.ts';
import { countTurns, turnNumbers } from '../../graph/turns.ts';
import { originalUuid } from '../../views/spans/ids.ts';
import type { TurnTrace } from '../../views/spans/types.ts';
import { beginningOf, isCopied } from './part.ts';
import type { ChatPlace } from './state.ts';

/** The chat that a session belongs to, made of all files of it that can be found: in it every line is told by its original. */
export interface WholeChat {
  readonly chat: Chat;
  /** The file of the session, as the chat names it. */
  readonly file: string;
  /** Its lines as the chat was made of: there may be more by now. */
  readonly entries: readonly Entry[];
}

/** Throws DiskError. */
export type OpenWhole = (own: SessionFile) => WholeChat | undefined;

/** So many entries tell where a session comes from: a copy begins as its original does. */
const FIRST = 8;

/** `entries`: from the start of the file. The graph then decides; to look too often costs only time. */
export function mayBeCopied(own: SessionFile, entries: readonly Entry[]): boolean {
  const named = entries.filter(({ head }) => head.uuid !== undefined && !head.isSidechain);
  if (isCopied(entries) || named.some((entry) => isForeign(entry, own)) || isRetold(entries, named)) return true;
  const ids = new Set(named.slice(0, FIRST).flatMap(({ head }) => head.uuid ?? []));
  return foldersOf(own, named).some((folder) =>
    namesIn(folder).some((name) => {
      const file = join(folder, name);
      return isSession(name) && file !== own.file && beginsWithAny(file, ids);
    }),
  );
}

function isForeign({ head: { forkedFrom, sessionId } }: Entry, own: SessionFile): boolean {
  return forkedFrom !== undefined || (sessionId !== undefined && sessionId !== own.sessionId);
}

/** The session was opened after its first line was said, or its first prompts have one id: `--fork-session` of 2.1.325 does both. */
function isRetold(entries: readonly Entry[], named: readonly Entry[]): boolean {
  const [opened, said] = [beginningOf(entries), beginningOf(named.filter(isSaid))];
  if (opened !== undefined && said !== undefined && opened > said) return true;
  const place = named.findIndex(isPrompt);
  const promptId = named[place]?.head.promptId;
  return promptId !== undefined && named.slice(place + 1).find(isPrompt)?.head.promptId === promptId;
}

function isPrompt(entry: Entry): boolean {
  return entry.kind === 'user' && isHumanTurnStart(inputKind(entry));
}

/** That of the session, and that of the place its first lines were said in: a fork may have been made in another. */
function foldersOf(own: SessionFile, [first]: readonly Entry[]): string[] {
  const folder = dirname(own.file);
  const slug = projectSlug(first?.head.cwd ?? '');
  const other = join(dirname(folder), slug);
  return slug === '' || slug === basename(folder) || !existsSync(other) ? [folder] : [folder, other];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isSession(name: string): boolean {
  return name.endsWith('.jsonl') && !name.startsWith('agent-');
}

const BEGINNING = 16 << 10;
/** A first prompt may hold pictures. */
const LONGEST = 16 << 20;
/** The original may begin with more than its copy has. */
const ENOUGH = 32;
const UUID = '"uuid":';

/** The first bytes, more of them only where they hold next to nothing: nothing is parsed. What cannot be read tells nothing. */
function beginsWithAny(file: string, ids: ReadonlySet<string>): boolean {
  try {
    const fd = openFile(file);
    try {
      for (let length = BEGINNING; ; length *= 4) {
        const bytes = length === BEGINNING ? beginning : Buffer.allocUnsafe(length);
        const got = readAt(fd, bytes, 0);
        const found = uuidsIn(bytes.toString('latin1', 0, got));
        if (found.some((id) => ids.has(id))) return true;
        if (got < length || length >= LONGEST || found.length >= FIRST) return false;
      }
    } finally {
      closeFile(fd);
    }
  } catch {
    return false;
  }
}

/** There may be hundreds to look at. */
const beginning = Buffer.allocUnsafe(BEGINNING);

function uuidsIn(text: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf(UUID); at >= 0 && found.length < ENOUGH; at = text.indexOf(UUID, at + 1)) {
    const from = text.indexOf('"', at + UUID.length) + 1;
    found.push(text.slice(from, text.indexOf('"', from)));
  }
  return found;
}

/**
 * Up to where a file holds turns that its chat tells by their originals; undefined while the last of them may still go on in this file. When
 * those are sent, what comes after needs only the file.
 */
export function copiedTo(whole: WholeChat): number | undefined {
  const { chat, file, entries } = whole;
  const kept = new Set(chat.entries.flatMap(({ source, line }) => (source.name === file ? line.start : [])));
  const last = entries.findLastIndex(({ head, line }) => head.uuid !== undefined && !kept.has(line.start));
  const after = entries.slice(last + 1).filter(isSaid);
  const [first] = after;
  if (last < 0) return 0;
  if (first === undefined) return isCutOff(whole) ? undefined : entries[last]?.line.end;
  return isPrompt(first) ? entries[last]?.line.end : after.find(isPrompt)?.line.start;
}

/** What follows is read from the file alone, and told as in the whole chat. */
export function placeIn({ chat, entries }: WholeChat, sessionId: string): ChatPlace {
  const said = chat.entriesOf(chat.branchOf(sessionId));
  const numbers = turnNumbers(said);
  const first = entries.map((entry) => numbers.get(originalUuid(entry) ?? '')).find((number) => number !== undefined);
  return { id: chat.id, turnsBefore: first === undefined ? countTurns(said) : first - 1 };
}

/** Something goes on from its lines in another file, and is not in it: the client may still be copying. */
function isCutOff({ chat, file, entries }: WholeChat): boolean {
  const copied = new Set(entries.flatMap((entry) => [entry.head.uuid ?? '', originalUuid(entry) ?? '']));
  copied.delete('');
  return chat.entries.some(
    ({ source, head: { uuid, parentUuid, isSidechain } }) =>
      source.name !== file && !isSidechain && copied.has(parentUuid ?? '') && !copied.has(uuid ?? ''),
  );
}

function isSaid({ kind, head }: Entry): boolean {
  return (kind === 'user' || kind === 'assistant') && !head.isSidechain;
}

/** Turns that begin before a place in the file. */
export function beginsBefore(place: number, entries: readonly Entry[]): (trace: TurnTrace) => boolean {
  const ids = new Set<string | undefined>();
  for (const { head, line } of entries) {
    if (line.start >= place) break;
    ids.add(head.uuid).add(head.forkedFrom?.messageUuid);
  }
  return ({ promptId }) => promptId !== null && ids.has(promptId);
}
