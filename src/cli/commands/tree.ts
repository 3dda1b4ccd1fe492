/** `skein tree`: how sessions, branches, compactions and sub-agents of a chat hang together. */
import { jsonOf } from '../../format/entry.ts';
import { typedOf } from '../../format/typed.ts';
import { type Agent, tokensOf, usageOfAgents } from '../../graph/agents.ts';
import type { Branch } from '../../graph/branches.ts';
import type { Chat } from '../../graph/chat.ts';
import { turnsOf } from '../../graph/turns.ts';
import { counted } from '../../views/counted.ts';
import { tokenCount } from '../../views/items.ts';
import { safeLine } from '../../views/safe.ts';
import { turnTitle } from '../../views/text.ts';
import { agentJson, branchJson, sessionsJson } from '../chatjson.ts';
import { chatOf, type ListedChat, listChats, openChat } from '../chats.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { ago, cut, cutPainted, humanBytes } from '../layout.ts';
import { type Library, openLibrary, reportProblems } from '../library.ts';
import { type Masking, openMask, REVEAL_OPTION } from '../mask.ts';
import { selectOne } from '../select.ts';
import { shortId } from '../shortid.ts';
import { sourceOf, tellSources } from '../sources.ts';

export const tree: Command = {
  name: 'tree',
  usage: '[SEL]',
  summary: 'sessions, branches, compactions and sub-agents of a chat, or of all',
  details: [
    'Draws which file was resumed or forked from which and why we think so, which sessions are superseded by another that holds everything they do, where branches leave, where the context was compacted, and which sub-agents were started by which call.',
  ],
  options: { ...REVEAL_OPTION, ...TEAM_OPTIONS, ...READING_OPTIONS },
  examples: [
    ['skein tree @last', 'the newest chat'],
    ['skein tree', 'all chats'],
    ["skein tree --json | jq '.chats[] | select(.edges != [])'", 'chats that span several files'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const { library, listed } = chatsFor(context, args);
  reportProblems(context, library.problems);
  tellSources(
    context,
    listed.flatMap(({ files }) => files),
  );
  const mask = await openMask(context, args);
  if (args.flag('json')) {
    context.out.write(`${mask.json({ chats: listed.map((chat) => chatJson(chat, openChat(library, chat))) })}\n`);
  } else {
    for (const chat of listed) {
      const opened = openChat(library, chat);
      const lines = mask.settled(() => chatLines(context, mask, chat, opened));
      for (const line of lines) context.out.write(`${line}\n`);
    }
  }
  return listed.length > 0 ? 0 : 1;
}

function chatsFor(context: Context, args: Arguments): { library: Library; listed: ListedChat[] } {
  if (args.positionals.length === 0) {
    const library = openLibrary(context, args);
    return { library, listed: listChats(context, library) };
  }
  const { library, file } = selectOne(context, args);
  return { library, listed: [chatOf(context, library, file)] };
}

function chatJson(listed: ListedChat, chat: Chat) {
  return {
    id: chat.id,
    title: chat.title ?? null,
    head: chat.head,
    source: sourceOf(listed.file),
    sessions: sessionsJson(listed),
    edges: chat.edges,
    branches: chat.branches.map(branchJson),
    compactions: compactionsOf(chat),
    usage: chat.usage(),
    subagents: chat.subagents.map(agentJson),
    unattached: chat.unattached.map(agentJson),
  };
}

function compactionsOf(chat: Chat) {
  return chat.entries.flatMap((entry) => {
    if (entry.head.subtype !== 'compact_boundary') return [];
    const compact = typedOf('system', jsonOf(entry) ?? {}).compact;
    const { trigger = null, preTokens = null, postTokens = null } = compact ?? {};
    return [{ uuid: entry.head.uuid ?? null, time: entry.head.timestamp ?? null, trigger, preTokens, postTokens }];
  });
}

const LONGEST_TITLE = 72;

interface Node {
  readonly text: string;
  readonly below: readonly Node[];
}

function chatLines(context: Context, mask: Masking, listed: ListedChat, chat: Chat): string[] {
  const { out } = context;
  const facts = [
    mask(listed.project),
    counted(chat.turns, 'turn'),
    humanBytes(listed.bytes),
    ago(chat.updated, context.now()),
  ];
  const title = `${out.style.dim(shortId(chat.id))} ${out.style.bold(cut(safeLine(mask(chat.title ?? '(no prompt)')), LONGEST_TITLE))}`;
  const nodes = [
    ...sessionNodes(context, chat),
    ...branchNodes(context, mask, chat),
    ...compactionNodes(context, mask, chat),
    ...agentNodes(context, mask, chat),
  ];
  const lines = [`${title} ${out.style.dim(facts.map(safeLine).join(' · '))}`, ...draw(nodes, '')];
  return lines.map((line) => cutPainted(line, out.columns));
}

function draw(nodes: readonly Node[], prefix: string): string[] {
  return nodes.flatMap(({ text, below }, index) => {
    const last = index === nodes.length - 1;
    return [`${prefix}${last ? '└─ ' : '├─ '}${text}`, ...draw(below, `${prefix}${last ? '   ' : '│  '}`)];
  });
}

/** Each session under the one it came from. */
function sessionNodes({ out }: Context, chat: Chat): Node[] {
  const sure = chat.edges.filter((edge) => edge.sure !== 'guess');
  const guesses = chat.edges.filter((edge) => edge.sure === 'guess');
  const parent = new Map(sure.map((edge) => [edge.to, edge]));
  const node = (session: Chat['sessions'][number]): Node => {
    const edge = parent.get(session.id);
    const how = edge ? out.style.dim(` ${edge.kind} of ${shortId(edge.from)} (${edge.why}, ${edge.sure})`) : '';
    const state = session.superseded ? out.style.warn(' superseded') : session.leaf ? out.style.good(' leaf') : '';
    return {
      text: `session ${shortId(session.id)} ${counted(session.turns, 'turn')}, ${humanBytes(session.bytes)}${state}${how}`,
      below: chat.sessions.filter((each) => each !== session && parent.get(each.id)?.from === session.id).map(node),
    };
  };
  const known = new Set(chat.sessions.map(({ id }) => id));
  const roots = chat.sessions.filter(({ id }) => !known.has(parent.get(id)?.from ?? ''));
  const notes = guesses.map((edge) => ({
    text: out.style.dim(
      `perhaps ${shortId(edge.to)} is a ${edge.kind} of ${shortId(edge.from)} (${edge.why}): kept apart`,
    ),
    below: [],
  }));
  return [...roots.map(node), ...notes];
}

/** Titles need the turns of each branch; with very many branches they are left out. */
const TITLED_BRANCHES = 50;

function branchNodes({ out }: Context, mask: Masking, chat: Chat): Node[] {
  if (chat.branches.length < 2) return [];
  return chat.branches.map((branch, index) => {
    const from = branch.forkedAt === undefined ? 'from the start' : `from ${shortId(branch.forkedAt)}`;
    const mark = branch.current ? out.style.good(' current') : '';
    const title = chat.branches.length > TITLED_BRANCHES ? '' : branchTitle(mask, chat, branch);
    const turns = `${counted(branch.turns, 'turn')} of its own`;
    return {
      text: `branch ${index + 1} of ${chat.branches.length}${mark}: ${turns} ${out.style.dim(from)}${title}`,
      below: [],
    };
  });
}

function branchTitle(mask: Masking, chat: Chat, branch: Branch): string {
  const own = branch.turns > 0 ? turnsOf(chat.entriesOf(branch)).at(-branch.turns) : undefined;
  return own ? ` "${cut(turnTitle(own, mask), 50)}"` : '';
}

function compactionNodes({ out }: Context, mask: Masking, chat: Chat): Node[] {
  return compactionsOf(chat).map(({ trigger, preTokens, postTokens, time }) => {
    const sizes = [preTokens, postTokens].filter((tokens) => tokens !== null).map(tokenCount);
    const when = safeLine(`${mask(trigger ?? '')} ${time?.slice(0, 16).replace('T', ' ') ?? ''}`);
    return {
      text: `compaction ${sizes.join(' → ')} tokens ${out.style.dim(when)}`,
      below: [],
    };
  });
}

function agentNodes(context: Context, mask: Masking, chat: Chat): Node[] {
  const lost = chat.unattached.map((agent) =>
    agentNode(context, mask, agent, agent.warmup ? ' warm-up' : ' without a call'),
  );
  return [...chat.subagents.map((agent) => agentNode(context, mask, agent, '')), ...lost];
}

function agentNode(context: Context, mask: Masking, agent: Agent, mark: string): Node {
  const { out } = context;
  const usage = usageOfAgents([agent]);
  const { toolCalls } = usage;
  const name = safeLine(mask(agent.description ?? agent.agentType ?? ''));
  const facts = `${toolCalls} ${toolCalls === 1 ? 'call' : 'calls'}, ${tokenCount(tokensOf(usage))} tokens`;
  const how = agent.toolUseId === undefined ? mark : ` by ${safeLine(agent.toolUseId)} (${agent.how}, ${agent.sure})`;
  const known = agent.from === 'progress' ? ', known from progress only' : '';
  return {
    text: `agent ${safeLine(agent.agentId).slice(0, 8)} ${out.style.accent(name)}${agent.background ? ' background' : ''} ${facts}${known}${out.style.dim(how)}`,
    below: agent.children.map((child) => agentNode(context, mask, child, '')),
  };
}
