/** A shared chat as the data that its page carries. */
import type { Turn } from '../../graph/types.ts';
import {
  type AgentPage,
  agentKey,
  agentPage,
  type CallPage,
  type ChatRow,
  callKey,
  callPage,
  chatPage,
  type EmbeddedBranch,
  type EmbeddedChat,
  forksOf,
  type PageOptions,
  type PageTurn,
  pageTurn,
} from '../../views/page/index.ts';
import type { OpenedChat } from '../opened.ts';
import { sourceOf } from '../sources.ts';
import type { SharedBranch, SharedChat } from './chats.ts';
import type { ExportOptions } from './format.ts';

export function embeddedChat(shared: SharedChat, { thinking, tools }: ExportOptions): EmbeddedChat {
  const { opened, branches } = shared;
  const options: PageOptions = { resolve: opened.resolve, agentOf: opened.agentOf };
  const calls = new Map<string, CallPage>();
  const agents = new Map<string, AgentPage>();
  const isShown = ({ type }: PageTurn['items'][number]) =>
    type === 'thinking' ? thinking : type !== 'call' || tools !== 'none';
  const shown = (turn: PageTurn): PageTurn => ({ ...turn, items: turn.items.filter(isShown) });

  const addCalls = (turns: readonly Turn[], within: string | null): void => {
    for (const call of turns.flatMap(({ toolCalls }) => toolCalls)) {
      const page: CallPage =
        tools === 'full'
          ? callPage(call, options)
          : { id: call.id, parts: [{ type: 'text', text: BRIEF }], input: null };
      calls.set(callKey(call.id, within), page);
      const view = opened.agentOf(call);
      if (view === undefined) continue;
      const opening = agentPage(view, call, options);
      const key = agentKey(opening.agent);
      if (agents.has(key)) continue;
      agents.set(key, { ...opening, turns: opening.turns.map(shown) });
      addCalls(view.turns, view.agentId);
    }
  };
  if (tools !== 'none') for (const { turns } of branches) addCalls(turns, null);

  const embedded = branches.map((each) => {
    const { page, turns } = embeddedBranch(shared, each, options);
    return { page, turns: turns.map(shown) };
  });
  const first = embedded.find(({ page }) => page.branches[page.branch]?.current) ?? embedded[0];
  return {
    branches: embedded,
    branch: first?.page.branch ?? 0,
    calls: Object.fromEntries(calls),
    agents: Object.fromEntries(agents),
  };
}

const BRIEF = 'What the tool was told and said is not in this file.';

function embeddedBranch(
  { opened, branches, shownPath }: SharedChat,
  { branch, turns }: SharedBranch,
  options: PageOptions,
): EmbeddedBranch {
  const { chat, listed } = opened;
  const files = new Map(listed.files.map((file) => [file.file, sourceOf(file)]));
  const page = chatPage({
    chat,
    row: rowOf(opened),
    version: 'exported',
    branch,
    turns,
    sourceOf: (file) => files.get(file) ?? 'disk',
    resume: { command: null, reason: 'This is an exported file.' },
    options,
  });
  const forks = forksOf(chat, branch, turns);
  const isAlone = branches.length < 2;
  const heads = isAlone ? page.turns.map((head) => ({ ...head, forks: [] })) : page.turns;
  const alone = isAlone ? { branches: page.branches.filter((_, place) => place === page.branch), branch: 0 } : {};
  return {
    page: {
      ...page,
      ...alone,
      turns: heads,
      sessions: page.sessions.map((session) => ({ ...session, file: shownPath(session.file) })),
    },
    turns: turns.flatMap((turn, index) => {
      const head = heads[index];
      return head ? [pageTurn(turn, { ...head, forks: isAlone ? [] : (forks.get(index) ?? []) }, options)] : [];
    }),
  };
}

/** Without what only the machine it comes from can tell: whether it is being worked in, what it cost. */
function rowOf({ listed, chat }: OpenedChat): ChatRow {
  return {
    id: listed.id,
    title: listed.title ?? null,
    project: listed.project,
    gitBranch: listed.gitBranch ?? null,
    started: listed.started ?? null,
    updated: listed.updated ?? null,
    turns: listed.turns,
    bytes: listed.bytes,
    sessions: listed.sessions.length,
    models: listed.model === undefined ? [] : [listed.model],
    lastPrompt: null,
    costUSD: null,
    tokens: null,
    source: 'disk',
    marks: chat.branches.length > 1 ? ['branched'] : [],
  };
}
