/**
 * What the viewer asks. The server knows HTTP and secrets; who answers knows sessions. Texts that are cut must be masked
 * before they are: every question hands in how.
 */
import type { Mask } from '../views/options.ts';
import type { AgentPage, CallPage, ChatList, ChatPage, FoundPlace, LiveEvent, PageTurn } from '../views/page/types.ts';
import type { EditAsk } from './edits.ts';

export interface Questions {
  status(): Status;
  /** Rows stay the same objects as long as nothing of their chat changed. */
  chats(): Promise<{ readonly version: string; readonly list: ChatList }>;
  /** undefined, here and below, where there is no such chat, branch, turn, call or agent. */
  chat(id: string, ask: BranchAsk): Promise<ChatPage | undefined>;
  turns(id: string, ask: TurnsAsk): Promise<{ readonly version: string; readonly turns: PageTurn[] } | undefined>;
  /** The turn that holds an entry. */
  find(id: string, uuid: string): Promise<FoundPlace | undefined>;
  call(id: string, callId: string, ask: CallAsk): Promise<CallPage | undefined>;
  agent(id: string, agentId: string, ask: AgentAsk): Promise<AgentPage | undefined>;
  search(ask: SearchAsk): Promise<object>;
  /** Options of `skein usage`, by name. */
  usage(options: Options, signal: AbortSignal): Promise<object>;
  explain(options: Options, signal: AbortSignal): Promise<object>;
  /** Options of `skein team usage`; only where a team is shown. */
  teamUsage(options: Options, signal: AbortSignal): Promise<object>;
  export(id: string, format: ExportFormat, ask: ExportAsk): Promise<Download | undefined>;
  /** Shows the file of a chat in the desktop's file manager; false where there is no such chat. */
  open(id: string): Promise<boolean>;
  /** What a verb says that makes a new session of a chat: with `dryRun` what it would, and nothing is written. */
  edit(id: string, ask: EditAsk): Promise<object | undefined>;
  /** Told of everything that changes, until the returned function is called. */
  listen(tell: (event: LiveEvent) => void): () => void;
}

export interface Ask {
  readonly mask: Mask;
  /** Nothing is masked. */
  readonly revealed: boolean;
}

export interface BranchAsk extends Ask {
  /** Its place; the current one without it. */
  readonly branch?: number;
}

export interface TurnsAsk extends BranchAsk {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Of turns with very many items; the first without it. */
  readonly part?: number;
}

export interface CallAsk extends BranchAsk {
  /** The sub-agent whose call it is. */
  readonly agent?: string;
}

export interface AgentAsk extends Ask {
  /** The call whose run of it is wanted; all of it without one. */
  readonly call?: string;
}

export interface SearchAsk extends Pick<Ask, 'mask'> {
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly sort: 'rank' | 'date';
  /** The page no longer waits. */
  readonly signal: AbortSignal;
}

export interface ExportAsk extends Pick<Ask, 'mask'> {
  readonly signal: AbortSignal;
}

export type Options = Readonly<Record<string, readonly string[]>>;

export const EXPORT_FORMATS = ['html', 'md', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface Download {
  /** As the file is to be called. */
  readonly name: string;
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** How far the reading and the archive are. */
export interface Status {
  /** Sessions whose outlines are known, of how many. */
  readonly read: number;
  readonly sessions: number;
  readonly archive: {
    readonly state: 'off' | 'waiting' | 'syncing' | 'done' | 'failed';
    /** What it said last. */
    readonly text: string;
    readonly at: string | null;
  };
  /** What is done beside answering; null when nothing. */
  readonly working: string | null;
  /** Of the list. */
  readonly version: string;
}
