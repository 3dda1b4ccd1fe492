/** A selector → the chat it names, opened, with the branch and the turns that were asked for. */
import type { SessionFile } from '../disk/find.ts';
import { toolOutputsOf } from '../disk/outputs.ts';
import { agentLookup } from '../graph/agents/lookup.ts';
import { type Agent, type AgentUsage, tokensOf, usageOfAgents } from '../graph/agents.ts';
import type { Branch } from '../graph/branches.ts';
import type { Chat } from '../graph/chat.ts';
import type { Resolve } from '../graph/toolcalls.ts';
import { turnsOf } from '../graph/turns.ts';
import type { ToolCall, Turn } from '../graph/types.ts';
import type { AgentView } from '../views/options.ts';
import { chatOf, type ListedChat, openChat } from './chats.ts';
import type { Arguments, Option } from './command.ts';
import type { Context } from './context.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Library } from './library.ts';
import { quoted } from './quoted.ts';
import { selectOne } from './select.ts';
import { placeFlag } from './shelf.ts';
import { shortId } from './shortid.ts';

export interface OpenedChat {
  readonly listed: ListedChat;
  readonly chat: Chat;
  readonly branch: Branch | undefined;
  /** All turns of the branch. */
  readonly turns: readonly Turn[];
  readonly resolve: Resolve;
  readonly agentOf: (call: ToolCall) => AgentView | undefined;
  /** What the sub-agents used that calls of these turns started or took up. */
  readonly agentUsageOf: (turns: readonly Turn[]) => AgentUsage;
}

export const BRANCH_OPTION = {
  type: 'string',
  value: 'BRANCH',
  help: 'Another branch: its number in `skein tree`, or the start of its head uuid',
} as const satisfies Option;

export const TURN_OPTION = {
  type: 'string',
  multiple: true,
  value: 'TURN',
  help: 'Only this turn: 3, 3-5, last, or the start of its prompt uuid (repeatable)',
} as const satisfies Option;

export function openSelected(context: Context, args: Arguments, selector = args.positionals[0]): OpenedChat {
  const { library, file } = selectOne(context, args, selector);
  return openFile(context, args, library, file);
}

/** Two selectors. Two sessions of one chat are taken each by itself, as they stand in their files. */
export function openPair(context: Context, args: Arguments, a: string, b: string): [OpenedChat, OpenedChat] {
  const selected = [a, b].map((selector) => selectOne(context, args, selector));
  const sides = selected.map(({ library, file }) => openFile(context, args, library, file));
  const [left, right] = sides;
  const isOneChat = left?.listed.id === right?.listed.id && selected[0]?.file.file !== selected[1]?.file.file;
  const [first, second] = isOneChat
    ? selected.map(({ library, file }) => {
        const files = library.files.filter((each) => each === file || each.kind === 'agent');
        return openFile(context, args, { ...library, files }, file);
      })
    : sides;
  if (first === undefined || second === undefined)
    throw new UsageError('Two chats are needed.', `${a} ${b}`, 'Name two.');
  return [first, second];
}

export function openFile(context: Context, args: Arguments, library: Library, file: SessionFile): OpenedChat {
  return openListed(context, args, library, chatOf(context, library, file), file);
}

/** Whose chat is known already. */
export function openListed(
  context: Context,
  args: Arguments,
  library: Library,
  listed: ListedChat,
  file: SessionFile,
): OpenedChat {
  const chat = openChat(library, listed);
  const wanted = args.value('branch');
  const branch =
    wanted === undefined
      ? branchWith(chat, branchOfSession(chat, file.file), args.values('turn'))
      : findBranch(chat, wanted);
  const turns = turnsOf(chat.entriesOf(branch), { now: context.now().getTime() });
  const runBy = agentLookup(chat);
  return {
    listed,
    chat,
    branch,
    turns,
    resolve: toolOutputsOf(listed.sessions.map((session) => session.file)),
    agentOf: (call) => agentView(runBy(call)),
    agentUsageOf: (some) =>
      usageOfAgents(some.flatMap(({ toolCalls }) => toolCalls.flatMap((call) => runBy(call) ?? []))),
  };
}

/** The conversation that ends with the session, or goes on from its end. */
function branchOfSession(chat: Chat, file: string): Branch | undefined {
  const session = chat.sessions.find((each) => each.file === file);
  return (session && chat.branchOf(session.id)) ?? chat.current;
}

/** A turn named by a uuid may lie on another branch, such as one that was left by a rewind: a search finds it there. */
function branchWith(chat: Chat, usual: Branch | undefined, turns: readonly string[]): Branch | undefined {
  const uuids = turns.filter((text) =>
    text.includes('-') ? !/^\d+-\d*$/.test(text) : /^(?!\d+$)[\w]{6,}$/.test(text),
  );
  if (uuids.length === 0) return usual;
  const holds = (branch: Branch | undefined) =>
    chat.entriesOf(branch).some(({ head }) => uuids.some((uuid) => head.uuid?.startsWith(uuid)));
  return holds(usual) ? usual : (chat.branches.find(holds) ?? usual);
}

function findBranch(chat: Chat, wanted: string): Branch {
  const byNumber = /^\d{1,4}$/.test(wanted) ? chat.branches[Number(wanted) - 1] : undefined;
  const branch = byNumber ?? (wanted === '' ? undefined : chat.branches.find(({ head }) => head?.startsWith(wanted)));
  if (branch) return branch;
  throw new UsageError(
    `There is no branch "${wanted}"; the chat has ${chat.branches.length}.`,
    chat.id,
    `See them: skein tree ${quoted(shortId(chat.id))}${placeFlag()}`,
  );
}

/** The turns named by --turn; all without it. */
export function chosenTurns(args: Arguments, turns: readonly Turn[]): Turn[] {
  const wanted = args.values('turn');
  if (wanted.length === 0) return [...turns];
  const tests = wanted.map((text) => turnTest(text, turns));
  const chosen = turns.filter((turn) => tests.some((fits) => fits(turn)));
  if (chosen.length > 0) return chosen;
  const last = turns.at(-1)?.number ?? 0;
  throw new CommandError(
    `There is no turn ${wanted.join(', ')}; the last is ${last}.`,
    `--turn ${wanted.join(' --turn ')}`,
    'See them all: leave out --turn.',
  );
}

function turnTest(text: string, turns: readonly Turn[]): (turn: Turn) => boolean {
  if (text === 'last') return (turn) => turn === turns.at(-1);
  const range = /^(\d{1,6})(?:-(\d{0,6}))?$/.exec(text);
  if (range) {
    const from = Number(range[1]);
    const to = range[2] === undefined ? from : range[2] === '' ? Number.POSITIVE_INFINITY : Number(range[2]);
    return ({ number }) => number >= from && number <= to;
  }
  if (text !== '' && turns.some(({ uuid }) => uuid?.startsWith(text)))
    return ({ uuid }) => uuid?.startsWith(text) ?? false;
  // What a search found may stand anywhere in a turn.
  const holds = ({ entries }: Turn) => text !== '' && entries.some(({ head }) => head.uuid?.startsWith(text));
  if (turns.some(holds)) return holds;
  const last = turns.at(-1)?.number ?? 0;
  throw new UsageError(
    `There is no turn "${text}".`,
    `--turn ${text}`,
    `Give a number from 1 to ${last}, a range like 2-4, last, or a uuid.`,
  );
}

/** Made when asked for. */
export function agentView(agent: Agent | undefined): AgentView | undefined {
  if (agent === undefined) return undefined;
  const { agentId, agentType, from, entries } = agent;
  const usage = usageOfAgents([agent]);
  return { agentId, type: agentType, from, turns: turnsOf(entries), tokens: tokensOf(usage), calls: usage.toolCalls };
}
