/** A chat that carries all its contents with it, for a file that is read without a server. */
import type { AgentPage, AgentRow, CallPage, ChatPage, PageTurn } from './types.ts';

export interface EmbeddedChat {
  readonly branches: readonly EmbeddedBranch[];
  /** Which branch is shown first. */
  readonly branch: number;
  /** By `callKey`. */
  readonly calls: Readonly<Record<string, CallPage>>;
  /** By `agentKey`. */
  readonly agents: Readonly<Record<string, AgentPage>>;
}

export interface EmbeddedBranch {
  readonly page: ChatPage;
  readonly turns: readonly PageTurn[];
}

/** An agent that was taken up again has a page for each call. */
export function agentKey({ agentId, callId }: Pick<AgentRow, 'agentId' | 'callId'>): string {
  return callId === null ? agentId : `${agentId} ${callId}`;
}

/** An agent's transcript may repeat the call that started it, so a call is known by the transcript it stands in. */
export function callKey(callId: string, agentId: string | null): string {
  return agentId === null ? callId : `${agentId} ${callId}`;
}
