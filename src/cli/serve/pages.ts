/** An opened chat as the pages of the viewer. */
import { runOf } from '../../graph/agents.ts';
import type { Branch } from '../../graph/branches.ts';
import type { Turn } from '../../graph/types.ts';
import type { Ask, TurnsAsk } from '../../server/questions.ts';
import type { Mask } from '../../views/options.ts';
import {
  agentPage as agentPageOf,
  callPage as callPageOf,
  chatPage as chatPageOf,
  findCall,
  findEntry,
  forksOf,
  type PageOptions,
  pageTurn,
  turnHead,
} from '../../views/page/index.ts';
import type { AgentPage, CallPage, ChatPage, ChatRow, FoundPlace, PageTurn } from '../../views/page/types.ts';
import { agentView } from '../opened.ts';
import { sourceOf } from '../sources.ts';
import type { OpenChat } from './openchats.ts';
import { resumeOf } from './resume.ts';

export interface Shown {
  readonly opened: OpenChat;
  /** The branch that is shown, and its place. */
  readonly branch: Branch | undefined;
  readonly place: number;
  readonly turns: readonly Turn[];
}

/** Thousands of prompts are read for it: it is made once, and with another row when that changed. */
export function chatPage({ opened, branch, place, turns }: Shown, row: ChatRow, { mask, revealed }: Ask): ChatPage {
  const { chat, listed, version } = opened;
  const sources = new Map(listed.files.map((file) => [file.file, sourceOf(file)]));
  const page = opened.remember(`page ${place} ${revealed}`, () =>
    chatPageOf({
      chat,
      row,
      version,
      branch,
      turns,
      sourceOf: (file) => sources.get(file) ?? 'disk',
      resume: resumeOf(listed),
      options: optionsOf(opened, mask),
    }),
  );
  return page.chat === row ? page : { ...page, chat: row };
}

export function turnsPage({ opened, branch, turns, place }: Shown, { from, to, part = 0, mask }: TurnsAsk): PageTurn[] {
  const options = optionsOf(opened, mask);
  const forks = opened.remember(`forks ${place}`, () => forksOf(opened.chat, branch, turns));
  return turns.slice(from, to).map((turn, offset) => {
    const index = from + offset;
    return pageTurn(turn, turnHead(turn, index, forks.get(index) ?? [], options), options, part);
  });
}

export function placeOf(opened: OpenChat, uuid: string): FoundPlace | undefined {
  return findEntry(opened.chat, uuid, opened.turnsOf);
}

export function callPage(
  { opened, turns }: Shown,
  id: string,
  agent: string | undefined,
  mask: Mask,
): CallPage | undefined {
  const call = findCall(agent === undefined ? turns : opened.turnsOfAgent(agent), id);
  return call && callPageOf(call, optionsOf(opened, mask));
}

/** As a call ran it; without one all of it. */
export function agentPage(
  opened: OpenChat,
  agentId: string,
  callId: string | undefined,
  mask: Mask,
): AgentPage | undefined {
  const agent = opened.agent(agentId);
  const call = callId === undefined ? agent?.calls[0] : agent?.calls.find(({ id }) => id === callId);
  if (callId !== undefined && call === undefined) return undefined;
  const view = agentView(agent && callId !== undefined ? runOf(agent, callId) : agent);
  return view && agentPageOf(view, call, optionsOf(opened, mask));
}

function optionsOf({ resolve, agentOf }: OpenChat, mask: Mask): PageOptions {
  return { resolve, agentOf, mask };
}
