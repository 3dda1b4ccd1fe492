/**
 * What the viewer shows, as data: one shape for the served page and the exported file. Times are ISO strings, absent values null.
 * Texts are masked before they leave the process; a placeholder stands where a secret stood.
 */
import type { Json } from '../../format/json.ts';
import type { InputKind } from '../../format/prompt.ts';
import type { Round, ToolStatus, TurnState } from '../../graph/types.ts';
import type { Part } from '../toolview.ts';

/** A chat in the list. */
export interface ChatRow {
  readonly id: string;
  readonly title: string | null;
  readonly project: string;
  readonly gitBranch: string | null;
  readonly started: string | null;
  readonly updated: string | null;
  readonly turns: number;
  readonly bytes: number;
  readonly sessions: number;
  readonly models: readonly string[];
  readonly lastPrompt: string | null;
  /** Known once usage was counted. */
  readonly costUSD: number | null;
  readonly tokens: number | null;
  readonly source: 'disk' | 'archive' | 'history' | 'team';
  readonly marks: readonly Mark[];
}

/** What a row is marked with. */
export type Mark = 'live' | 'branched' | 'compacted' | 'errors' | 'archived';

export interface ChatList {
  readonly chats: readonly ChatRow[];
  /** The demo set is shown because there was nothing else. */
  readonly demo: boolean;
  /** The team whose chats these are. */
  readonly team?: string;
  readonly problems: readonly { readonly what: string; readonly where: string; readonly next: string }[];
}

/** A chat opened: everything but the contents of its turns. */
export interface ChatPage {
  readonly chat: ChatRow;
  /** Changes whenever anything of the chat does. */
  readonly version: string;
  readonly sessions: readonly SessionRow[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly kind: string;
    readonly why: string;
    readonly sure: string;
  }[];
  readonly branches: readonly BranchRow[];
  /** Which of them is shown. */
  readonly branch: number;
  readonly turns: readonly TurnHead[];
  /** Of the whole chat, for the map; nested ones under those that started them. */
  readonly agents: readonly AgentNode[];
  /** What to type to go on with it; null where it cannot be resumed, with the reason. */
  readonly resume: { readonly command: string | null; readonly reason: string | null };
}

export interface SessionRow {
  readonly id: string;
  readonly file: string;
  readonly bytes: number;
  readonly turns: number;
  readonly superseded: boolean;
  readonly source: 'disk' | 'archive' | 'history' | 'team';
  readonly started: string | null;
  readonly updated: string | null;
}

export interface BranchRow {
  readonly head: string | null;
  readonly forkedAt: string | null;
  readonly turns: number;
  readonly current: boolean;
  /** The first prompt of its own. */
  readonly prompt: string | null;
}

/** Enough for the outline, and to guess how high the turn will be. */
export interface TurnHead {
  readonly index: number;
  readonly number: number;
  readonly uuid: string | null;
  readonly kind: InputKind;
  readonly round: Round;
  readonly state: TurnState;
  /** Its first 200 characters. */
  readonly prompt: string;
  readonly started: string | null;
  readonly ended: string | null;
  readonly durationMs: number | null;
  readonly messages: number;
  readonly calls: number;
  /** Calls that failed, were denied or interrupted. */
  readonly failures: number;
  /** A compaction stands in it. */
  readonly compacted: boolean;
  /** Branches (their places in `branches`) that leave the conversation in this turn. */
  readonly forks: readonly number[];
}

export interface PageTurn extends TurnHead {
  readonly items: readonly PageItem[];
  /** Items that follow these. A turn with very many comes in parts of `ITEMS_PART`. */
  readonly more: number;
  /** For the waterfall; calls are among the items. */
  readonly generations: readonly Generation[];
}

export interface Generation {
  readonly id: string | null;
  readonly uuid: string | null;
  readonly model: string | null;
  readonly started: string | null;
  readonly ended: string | null;
  readonly stopReason: string | null;
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cacheCreation: number;
    readonly cacheRead: number;
  } | null;
}

/** `uuid` is the entry it was made of: links go there. */
export type PageItem =
  | {
      readonly type: 'prompt';
      readonly uuid: string | null;
      readonly text: string;
      readonly context: readonly { readonly tag: string; readonly text: string }[];
      readonly images: readonly PageImage[];
    }
  | { readonly type: 'text'; readonly uuid: string | null; readonly text: string }
  | { readonly type: 'thinking'; readonly uuid: string | null; readonly text: string }
  | { readonly type: 'call'; readonly uuid: string | null; readonly call: CallRow }
  | { readonly type: 'api_error'; readonly uuid: string | null; readonly text: string }
  | { readonly type: 'image'; readonly uuid: string | null; readonly image: PageImage }
  /** `before` is the turn in which what it summed up ends. */
  | { readonly type: 'compaction'; readonly uuid: string | null; readonly text: string; readonly summary: string }
  | { readonly type: 'note'; readonly uuid: string | null; readonly label: string; readonly text: string };

export interface PageImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** A tool call as one line; its parts are asked for when it is opened. */
export interface CallRow {
  readonly id: string;
  readonly name: string;
  /** The one argument that matters, its first 300 characters. */
  readonly argument: string;
  readonly status: ToolStatus;
  readonly started: string | null;
  readonly ended: string | null;
  readonly durationMs: number | null;
  /** Characters of the result. */
  readonly size: number;
  /** Of a call that failed: the first line of what was said. */
  readonly failure: string | null;
  readonly agent: AgentRow | null;
}

export interface AgentRow {
  readonly agentId: string;
  /** The call whose run of it this is: an agent may be taken up again. */
  readonly callId: string | null;
  readonly type: string | null;
  readonly description: string | null;
  readonly tokens: number;
  readonly calls: number;
  readonly turns: number;
}

export interface AgentNode {
  readonly agentId: string;
  readonly type: string | null;
  readonly description: string | null;
  /** The entry that holds the call that started it; null where that is not known. */
  readonly uuid: string | null;
  /** Index of the turn of the shown branch that started it; null where that is another's. */
  readonly turn: number | null;
  readonly children: readonly AgentNode[];
}

/** Where an entry is shown. */
export interface FoundPlace {
  readonly branch: number;
  /** Of its turn. */
  readonly index: number;
  /** Which item of the turn; null where the entry shows nothing by itself. */
  readonly item: number | null;
  /** The calls to open on the way, outermost first, when it stands in a sub-agent. */
  readonly calls: readonly string[];
}

/** A tool call opened. */
export interface CallPage {
  readonly id: string;
  readonly parts: readonly Part[];
  /** For those who want it all. */
  readonly input: Json;
}

/** A sub-agent opened in place. */
export interface AgentPage {
  readonly agent: AgentRow;
  readonly turns: readonly PageTurn[];
}

/** Sent by the server when something changed. */
export type LiveEvent =
  /** The list is no longer what it was. */
  | { readonly type: 'chats' }
  /** These sessions grew or were replaced. */
  | { readonly type: 'sessions'; readonly ids: readonly string[] };
