/** `skein show`: a chat to read. */
import type { Turn } from '../../graph/types.ts';
import { counted } from '../../views/counted.ts';
import { turnJson } from '../../views/json.ts';
import { turnMarkdown } from '../../views/markdown.ts';
import type { Mask, ToolDetail, ViewOptions } from '../../views/options.ts';
import { safeLine } from '../../views/safe.ts';
import { turnText } from '../../views/text.ts';
import { branchJson, sessionsJson } from '../chatjson.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { writeJsonList } from '../jsonout.ts';
import { humanBytes } from '../layout.ts';
import { openMask, REVEAL_OPTION } from '../mask.ts';
import { BRANCH_OPTION, chosenTurns, type OpenedChat, openSelected, TURN_OPTION } from '../opened.ts';
import { page } from '../pager.ts';
import { sourceOf, tellSources } from '../sources.ts';

export const show: Command = {
  name: 'show',
  usage: 'SEL [--turn TURN] [--branch BRANCH] [--thinking] [--tools none|brief|full] [--format text|md|json]',
  summary: 'read a chat: prompts, answers, tool calls, sub-agents',
  details: [
    'Shows the conversation as a person had it: copies made by resumes once, compactions crossed, parallel calls together, sub-agents under the call that started them. On a terminal it goes through your pager ($PAGER).',
    'Tool calls are one line each; --tools full opens them as diffs, outputs, checklists and nested conversations, --tools none leaves them out.',
  ],
  options: {
    turn: TURN_OPTION,
    branch: BRANCH_OPTION,
    thinking: { type: 'boolean', help: "Show the model's thinking, not just that there was some" },
    tools: {
      type: 'string',
      value: 'HOW',
      choices: ['none', 'brief', 'full'],
      help: 'Tool calls: none, brief (default) or full',
    },
    format: { type: 'string', value: 'FORMAT', choices: ['text', 'md', 'json'], help: 'text (default), md or json' },
    'no-pager': { type: 'boolean', help: 'Write straight to the terminal' },
    ...REVEAL_OPTION,
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein show @last', 'the newest chat'],
    [
      'skein show login --turn last --tools full',
      'the last turn of the chat whose title has "login", with everything the tools did',
    ],
    ['skein show 4f0c --format md > chat.md', 'as Markdown'],
    ['skein show 4f0c --team acme', 'one of a team'],
    ["skein show @last --json | jq '.turns[].toolCalls[].name'", 'every tool that was called'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const opened = openSelected(context, args);
  const turns = chosenTurns(args, opened.turns);
  tellSources(context, opened.listed.files);
  const format = args.flag('json') ? 'json' : (args.value('format') ?? 'text');
  const mask = await openMask(context, args);
  if (format === 'json')
    await writeJsonList(context, mask, { chat: chatJson(opened) }, 'turns', () => turnsJson(opened, turns));
  else if (turns.length === 0) context.err.write('Nothing was said in this chat.\n');
  else {
    const shown = mask.settled(() => pieces(context, args, mask, opened, turns, format));
    await page(context, shown, !args.flag('no-pager'));
  }
  return turns.length > 0 ? 0 : 1;
}

export function chatJson({ listed, chat, branch }: OpenedChat) {
  return {
    id: listed.id,
    title: listed.title ?? null,
    project: listed.project,
    branch: branch ? branchJson(branch) : null,
    branches: chat.branches.length,
    source: sourceOf(listed.file),
    sessions: sessionsJson(listed),
  };
}

function* turnsJson({ resolve, agentOf }: OpenedChat, turns: readonly Turn[]): Generator<object> {
  for (const turn of turns) yield turnJson(turn, { resolve, agentOf });
}

export function* pieces(
  context: Context,
  args: Arguments,
  mask: Mask,
  opened: OpenedChat,
  turns: readonly Turn[],
  format: string,
): Generator<string> {
  const options: ViewOptions = {
    thinking: args.flag('thinking'),
    tools: detailOf(args),
    // An agent has no screen: a path or a command that is broken over two lines is another one.
    width: context.asTool ? Number.POSITIVE_INFINITY : context.out.columns,
    resolve: opened.resolve,
    agentOf: opened.agentOf,
    mask,
  };
  yield format === 'md' ? markdownTitle(opened, mask) : textTitle(context, opened, mask);
  for (const turn of turns) {
    yield format === 'md' ? `\n${turnMarkdown(turn, options)}` : `\n${turnText(turn, options, context.out.style)}`;
  }
}

function detailOf(args: Arguments): ToolDetail {
  const tools = args.value('tools');
  return tools === 'none' || tools === 'full' ? tools : 'brief';
}

export function markdownTitle({ listed }: Pick<OpenedChat, 'listed'>, mask: Mask): string {
  return `# ${safeLine(mask(listed.title ?? listed.id)).replace(/[\\`*_[\]<>#|]/g, '\\$&')}\n\n${safeLine(mask(listed.project))} · ${listed.id}\n`;
}

function textTitle({ out }: Context, { listed, chat, branch, turns }: OpenedChat, mask: Mask): string {
  const branches = chat.branches.length;
  // What a sub-agent was asked is no prompt of a person, which alone make titles and are counted.
  const { kind, agentId } = listed.file;
  const title = listed.title ?? (kind === 'agent' ? `sub-agent ${agentId ?? listed.id}` : '(no prompt)');
  const place = (branch === undefined ? -1 : chat.branches.indexOf(branch)) + 1;
  const facts = [
    listed.project,
    listed.gitBranch,
    counted(kind === 'agent' ? turns.length : listed.turns, 'turn'),
    humanBytes(listed.bytes),
    branches > 1 ? `branch ${place} of ${branches}: others with --branch` : undefined,
  ];
  return `${out.style.bold(safeLine(mask(title)))}\n${out.style.dim(
    facts
      .filter((fact) => fact !== undefined)
      .map((fact) => safeLine(mask(fact)))
      .join(' · '),
  )}\n`;
}
