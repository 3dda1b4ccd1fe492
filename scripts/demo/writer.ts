/** One transcript while it is being written: its state, and how a line gets its envelope in each client version (E2). */
import type { Json, JsonObject } from '../../src/format/json.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { createFileHistory, type FileHistory } from './file-history.ts';
import { createIds, type Ids } from './ids.ts';
import { createRequests, type Requests } from './requests.ts';
import { createLedger, createMeter, type Ledger, type Meter } from './usage.ts';

export type Version = '1.0.111' | '2.1.80' | '2.1.325';

/** Where the set is gathered: paths below the config root, and the prompts for `history.jsonl`. */
export interface DemoRoot {
  readonly files: Map<string, string>;
  readonly history: { display: string; timestamp: number; project: string; sessionId: string }[];
}

export interface SessionOptions {
  /** Names the session in the seed of its ids. */
  readonly name: string;
  readonly version: Version;
  readonly cwd: string;
  readonly model: string;
  readonly start: string;
  readonly gitBranch: string;
  readonly permissionMode?: string;
  /** The name the client makes up for a session (`slug` in the entries). */
  readonly slug?: string;
  /** Tokens before the first prompt: system prompt, tools, instructions. */
  readonly baseTokens?: number;
  /** Tokens counted for one that the text would have: long chats read more than a demo can hold. */
  readonly weight?: number;
  /** Whether requests are stored too (E14). */
  readonly requests?: boolean;
}

export interface Writer {
  readonly root: DemoRoot;
  readonly ids: Ids;
  readonly version: Version;
  readonly sessionId: string;
  readonly cwd: string;
  readonly model: string;
  weight: number;
  readonly slug: string | undefined;
  /** Set for a sub-agent: its id, its type, how deep it was spawned. */
  readonly agent?: { readonly id: string; readonly type: string; readonly depth: number };
  readonly lines: string[];
  readonly meter: Meter;
  readonly ledger: Ledger;
  readonly fileHistory: FileHistory;
  readonly requests: Requests;
  readonly startTime: number;
  readonly toolsUsed: Set<string>;
  /** Whether requests are written; what they hold is kept in `requests` anyway. */
  readonly storesRequests: boolean;
  /** Milliseconds since 1970: the time of the next thing that happens. */
  now: number;
  /** The entry that the next one hangs on. */
  tip: string | null;
  gitBranch: string;
  permissionMode: string;
  promptId: string;
  /** The entry of the last prompt. */
  promptUuid: string;
  promptIndex: number;
  turnIndex: number;
  turnStart: number;
  messageCount: number;
  lastPrompt: string;
  title?: string;
  pr?: JsonObject;
  /** Whether the attachments of the first prompt are written. */
  surrounded: boolean;
  /** Whether `slug` is written yet: the client makes it up with the first tool result. */
  slugKnown: boolean;
}

export function createSession(root: DemoRoot, options: SessionOptions): Writer {
  const ids = createIds(`skein demo/${options.name}`);
  const sessionId = ids.uuid();
  const now = Date.parse(options.start);
  return {
    root,
    ids,
    version: options.version,
    sessionId,
    cwd: options.cwd,
    model: options.model,
    weight: options.weight ?? 1,
    slug: options.slug,
    lines: [],
    meter: createMeter(options.baseTokens ?? 15_800),
    ledger: createLedger(),
    fileHistory: createFileHistory(),
    requests: createRequests(),
    startTime: now,
    toolsUsed: new Set(),
    storesRequests: options.requests ?? false,
    now,
    tip: null,
    gitBranch: options.gitBranch,
    permissionMode: options.permissionMode ?? 'default',
    promptId: '',
    promptUuid: '',
    promptIndex: 0,
    turnIndex: 0,
    turnStart: now,
    messageCount: 0,
    lastPrompt: '',
    surrounded: false,
    slugKnown: false,
  };
}

/** Puts the transcript, as far as it is, into the set. */
export function save(w: Writer): void {
  w.root.files.set(transcriptPath(w), w.lines.map((line) => `${line}\n`).join(''));
}

export function projectFolder(w: Writer): string {
  return `projects/${projectSlug(w.cwd)}`;
}

export function transcriptPath(w: Writer): string {
  const session = `${projectFolder(w)}/${w.sessionId}`;
  return w.agent ? `${session}/subagents/agent-${w.agent.id}.jsonl` : `${session}.jsonl`;
}

/** The config root as the entries name it. */
export const CONFIG_HOME = '/home/ada/.claude';

export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** A line without envelope: titles, modes, queue operations, snapshots. */
export function appendBare(w: Writer, line: JsonObject): void {
  w.lines.push(JSON.stringify(line));
}

export interface Own {
  /** Fields before `uuid` and `timestamp`, `type` among them. */
  readonly head: JsonObject;
  /** Fields after them. */
  readonly tail?: JsonObject;
  readonly time?: number;
  readonly uuid?: string;
  /** The entry it hangs on, when that is not the tip. */
  readonly parent?: string | null;
  /** Whether the turn's `promptId` is written. */
  readonly prompted?: boolean;
}

/** An entry with envelope; it becomes the tip. */
export function append(w: Writer, own: Own): string {
  const uuid = own.uuid ?? w.ids.uuid();
  const parentUuid = own.parent === undefined ? w.tip : own.parent;
  const body = { ...own.head, uuid, timestamp: iso(own.time ?? w.now), ...own.tail };
  appendBare(w, withEnvelope(w, parentUuid, body, own.prompted === true));
  w.tip = uuid;
  w.messageCount += 1;
  return uuid;
}

function withEnvelope(w: Writer, parentUuid: string | null, body: JsonObject, prompted: boolean): JsonObject {
  const links: JsonObject = { parentUuid, isSidechain: w.agent !== undefined };
  const where: JsonObject = { cwd: w.cwd, sessionId: w.sessionId, version: w.version, gitBranch: w.gitBranch };
  if (w.version === '1.0.111') return { ...links, userType: 'external', ...where, ...body };
  if (prompted) links.promptId = w.promptId;
  if (w.agent) links.agentId = w.agent.id;
  const slug = w.slugKnown && w.slug !== undefined ? { slug: w.slug } : {};
  return { ...links, ...body, userType: 'external', entrypoint: 'cli', ...where, ...slug };
}

export function userEntry(w: Writer, content: Json, own: Omit<Own, 'head'> & { meta?: boolean } = {}): string {
  const { meta, ...rest } = own;
  const head: JsonObject = { type: 'user', message: { role: 'user', content } };
  if (meta) head.isMeta = true;
  return append(w, { ...rest, head, prompted: own.prompted ?? true });
}
