/** Several sessions at once: built in memory, or as the client left them, with what a list and an opened chat need. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSessions, type SessionFile } from '../../src/disk/find.ts';
import type { Entry } from '../../src/format/entry.ts';
import { asObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import type { AgentFile } from '../../src/graph/agents.ts';
import { type Chat, type ChatSession, type ChatSummary, chatsOf, openChat } from '../../src/graph/chat.ts';
import type { SessionFacts } from '../../src/graph/lineage.ts';
import { outlineOf } from '../../src/graph/outline.ts';
import { assistant, timeOf, toJsonl, user } from './build.ts';
import { FIXTURES } from './files.ts';

export interface TestSession extends SessionFacts {
  readonly entries: readonly Entry[];
  readonly agents: readonly AgentFile[];
}

export function sessionOf(id: string, lines: readonly JsonObject[], agents: readonly AgentFile[] = []): TestSession {
  const bytes = encode(toJsonl(lines));
  const { entries } = readSession(bytes, `${id}.jsonl`);
  return { id, file: `${id}.jsonl`, bytes: bytes.length, outline: outlineOf(entries), entries, agents };
}

/** A folder of the client: `projects/` below it. */
export function sessionsIn(folder: string): TestSession[] {
  const { files } = findSessions([{ path: folder, kind: 'config', from: 'option', what: 'test' }]);
  const agents = files.filter(({ kind }) => kind === 'agent').map((file) => ({ file, agent: toAgentFile(file) }));
  return files
    .filter(({ kind }) => kind === 'session')
    .map(({ sessionId, file, bytes }) => {
      const { entries } = readSession(readFileSync(file), file);
      const own = agents.filter(({ file: found, agent }) => parentOf(found, agent) === sessionId);
      return {
        id: sessionId,
        file,
        bytes,
        outline: outlineOf(entries),
        entries,
        agents: own.map(({ agent }) => agent),
      };
    });
}

/** 2.0.x: the session that the last line names; the first line of a warm-up can name another (L3, L6). */
function parentOf({ parentSessionId }: SessionFile, { entries }: AgentFile): string | undefined {
  const ids = entries.flatMap(({ head }) => head.sessionId ?? []);
  return parentSessionId ?? ids.at(-1);
}

function toAgentFile({ file, agentId, metaFile }: SessionFile): AgentFile {
  const { entries } = readSession(readFileSync(file), file);
  const meta = metaFile === undefined ? undefined : asObject(parseJson(readFileSync(metaFile, 'utf8')));
  return { agentId: agentId ?? '', file, entries, meta };
}

export function recorded(version: string, scenario: string): TestSession[] {
  return sessionsIn(join(FIXTURES, 'recorded', version, scenario));
}

/** The chats in which something was said. */
export function chatsIn(sessions: readonly TestSession[]): ChatSummary[] {
  return chatsOf(sessions).filter((chat) => chat.sessions.some(({ bytes }) => bytes > 0));
}

export function opened(sessions: readonly TestSession[], chat: ChatSummary): Chat {
  const byFile = new Map(sessions.map((session) => [session.file, session]));
  return openChat(chat, ({ file }: ChatSession) => byFile.get(file) ?? { entries: [] });
}

/** The only chat there is, opened. */
export function onlyChat(sessions: readonly TestSession[]): Chat {
  const [chat, ...others] = chatsIn(sessions);
  if (chat === undefined || others.length > 0) throw new Error(`${others.length + 1} chats instead of one`);
  return opened(sessions, chat);
}

/** Ids cut to what tells them apart. */
export function short(id: string | undefined): string {
  return id?.slice(0, 8) ?? '';
}

/** `a → b resume/copied uuids/certain` */
export function edgeLines(chat: ChatSummary): string[] {
  return chat.edges.map(({ from, to, kind, why, sure }) => `${short(from)} → ${short(to)} ${kind}/${why}/${sure}`);
}

/** One turn: a prompt and its answer. */
export function turn(name: string, second: number, sessionId: string, more: JsonObject = {}): JsonObject[] {
  const common = { sessionId, version: '1.0.111', isSidechain: false, ...more };
  const prompt = { ...user(`Q ${name}`), uuid: `q-${name}`, timestamp: timeOf(second), ...common };
  const reply = assistant(
    `A ${name}`,
    { id: `m-${name}` },
    { uuid: `a-${name}`, timestamp: timeOf(second + 1), ...common },
  );
  return [prompt, { ...reply, parentUuid: prompt.uuid }];
}

/** Each first line of a turn after the last line of the turn before. */
export function linked(turns: readonly JsonObject[]): JsonObject[] {
  return turns.map((line, index) => ({ parentUuid: index === 0 ? null : (turns[index - 1]?.uuid ?? null), ...line }));
}

export function withIds(lines: readonly JsonObject[], idOf: (line: JsonObject) => string): JsonObject[] {
  return lines.map((line) => ({ ...line, sessionId: idOf(line) }));
}

export function atTime(lines: readonly JsonObject[], second: number): JsonObject[] {
  return lines.map((line) => ({ ...line, timestamp: timeOf(second) }));
}

/** By session: superseded, a leaf, or taken up by another. */
export function flags({ sessions }: ChatSummary): Record<string, string> {
  return Object.fromEntries(
    sessions.map(({ id, superseded, leaf }) => [short(id), superseded ? 'superseded' : leaf ? 'leaf' : 'taken up']),
  );
}
