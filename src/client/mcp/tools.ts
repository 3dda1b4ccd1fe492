/** The tools: each is a verb of the command with the few options an agent needs. */
import { z } from 'zod';

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Input;
  verb(input: z.infer<Input>): Verb;
}

export interface Verb {
  /** The arguments of the command. */
  readonly argv: readonly string[];
  /** Which page of its output is wanted; undefined of a verb that is asked for one itself, and whose output fits. */
  readonly page?: number;
}

function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return {
    ...tool,
    verb: (input) => tool.verb(tool.inputSchema.parse(input)),
  };
}

/** Each takes no more than it names: a filter that is passed over would give an answer to another question. */
const page = z.int().min(1).default(1).describe('Which page of the answer');

/** So many hits, each of a chat of its own, and so many chats are a few thousand tokens at most. More are on the next page. */
const MOST_HITS = 15;
const MOST_CHATS = 45;

const search = defineTool({
  name: 'search_history',
  description:
    'Search everything said, thought, asked of tools and answered by them in earlier sessions. Words (all must be there), "phrases", prefix*, -without, ~part of a text, /regex/i; filters project: role:user|assistant tool: file: model: git-branch: after:7d before:2026-01-31 is:error in:prompt|answer|thinking|tool session:ID (-session:ID leaves a chat out, such as the one you are in). Gives snippets by chat, each ending in the chat and turn that read_chat takes; the last line says how many there are, and which page has more.',
  inputSchema: z.strictObject({
    query: z.string().min(1).describe('What to find, e.g. "rate limit" after:30d in:answer. Few words find most'),
    limit: z.int().min(1).max(50).default(10).describe(`Hits on a page, of which at most ${MOST_HITS} are shown`),
    page,
    sort: z.enum(['rank', 'date']).default('rank'),
  }),
  verb: ({ query, limit, page: number, sort }) => ({
    argv: ['search', `--limit=${Math.min(limit, MOST_HITS)}`, `--page=${number}`, `--sort=${sort}`, '--', query],
  }),
});

const list = defineTool({
  name: 'list_chats',
  description:
    'The chats of this machine, newest first: id, title, project, when, how many turns. The last line says when there are more, and which page has them.',
  inputSchema: z.strictObject({
    project: z.string().optional().describe('Only this project: its path or the end of it'),
    since: z.string().optional().describe('A date or an age: 2026-01-31, 7d'),
    limit: z.int().min(1).max(200).default(30).describe(`Chats on a page, of which at most ${MOST_CHATS} are shown`),
    page,
  }),
  verb: ({ project, since, limit, page: number }) => ({
    argv: [
      'list',
      `--limit=${Math.min(limit, MOST_CHATS)}`,
      `--page=${number}`,
      ...option('project', project),
      ...option('after', since),
    ],
  }),
});

const read = defineTool({
  name: 'read_chat',
  description:
    'Reads a chat as text, page by page: one turn (a prompt and everything until the next), some, or all. For an overview of a long one take tools: none.',
  inputSchema: z.strictObject({
    chat: z
      .string()
      .min(1)
      .describe('The id that search_history or list_chats gave, @last, project:NAME or words of its title'),
    turn: z
      .string()
      .optional()
      .describe('Only this: a number, a range like 3-5, last, or what search_history gave; all without it'),
    tools: z
      .enum(['none', 'brief', 'full'])
      .default('brief')
      .describe('How much of the tool calls: none, a line or two of each, or all they were given and answered'),
    thinking: z.boolean().default(false).describe("The model's thinking too"),
    page,
  }),
  verb: ({ chat, turn, tools, thinking, page: number }) => ({
    argv: ['show', ...option('turn', turn), `--tools=${tools}`, ...(thinking ? ['--thinking'] : []), '--', chat],
    page: number,
  }),
});

const usage = defineTool({
  name: 'usage',
  description:
    'Tokens and cost (dollars at list prices) of all chats, one row for each day, model, … and their total; by tool: calls, failures, time and size of results. * is output that was not recorded, ? a cost that is not known.',
  inputSchema: z.strictObject({
    by: z
      .enum(['day', 'week', 'month', 'block', 'project', 'model', 'chat', 'branch', 'agent', 'total', 'tool'])
      .default('day')
      .describe('Rows; block: five hours, branch: of git, agent: kind of sub-agent'),
    since: z.string().optional().describe('A date, included, or an age: 2026-01-31, 7d'),
    until: z.string().optional().describe('A date, included, or an age'),
    project: z.string().optional().describe('Only this project: its path or the end of it'),
    page,
  }),
  verb: ({ by, since, until, project, page: number }) => ({
    argv: ['usage', `--by=${by}`, ...option('since', since), ...option('until', until), ...option('project', project)],
    page: number,
  }),
});

export const TOOLS: readonly Tool[] = [search, list, read, usage];

function option(name: string, value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [`--${name}=${value}`];
}
