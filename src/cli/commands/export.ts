/** `skein export`: chats as files to share, and turns as traces. */
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { shareAs } from '../export/share.ts';
import { BRANCH_OPTION, TURN_OPTION } from '../opened.ts';

/** Each format in a file of its own, loaded when it is asked for. */
const FORMATS: Readonly<Record<string, () => Promise<(context: Context, args: Arguments) => Promise<number>>>> = {
  html: async () => shareAs((await import('../export/html.ts')).html),
  md: async () => shareAs((await import('../export/md.ts')).md),
  json: async () => shareAs((await import('../export/json.ts')).json),
  langfuse: async () => (await import('../export/traces.ts')).exportTraces('langfuse'),
  otlp: async () => (await import('../export/traces.ts')).exportTraces('otlp'),
};

export const exportChats: Command = {
  name: 'export',
  usage:
    'html|md|json|langfuse|otlp SEL|project:NAME|--all|--since TIME [--to FILE|DIR] [--turn TURN] [--endpoint URL]',
  summary: 'chats as files to share or as traces, with secrets masked',
  details: [
    'html is one file that opens from disk in any browser: the viewer’s page with everything in it, no server, no network. With --replay it can be played step by step. md and json are what skein show prints. project:NAME exports every chat of a project into a folder with an index page.',
    'Secrets, home folders and user names are masked, in everything: prompts, tool inputs and results, sub-agents, large outputs, titles. What cannot be looked into, such as images, is left out. Both are listed before anything is saved, and a terminal is asked; --dry-run only lists. What no rule knows is not found (docs/redaction.md): look before you share.',
    'Nothing is replaced unless you say --force. --to - writes to standard output.',
    'langfuse and otlp send every turn that is over as a trace: the turn, its API messages, tool calls and sub-agents, with times, tokens and cost (docs/traces.md). What the endpoint took is not sent again, so running it twice changes nothing; what cannot be sent waits on disk for the next time. Keys come from LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_BASE_URL, or OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS. Secrets are masked; --no-content sends nothing that was said.',
  ],
  options: {
    to: {
      type: 'string',
      value: 'FILE',
      help: 'Write here (default: named after the title, in this folder); - is standard output',
    },
    branch: BRANCH_OPTION,
    'all-branches': { type: 'boolean', help: 'Every branch of the conversation, not only one' },
    turn: TURN_OPTION,
    replay: { type: 'boolean', help: 'html: shows the chat step by step, with play, pause and step' },
    thinking: { type: 'boolean', help: "html, md, langfuse, otlp: with the model's thinking" },
    tools: {
      type: 'string',
      value: 'HOW',
      choices: ['none', 'brief', 'full'],
      help: 'html, md: tool calls not at all, as one line each, or with all they did (default)',
    },
    images: { type: 'boolean', help: 'Keep images, which are not looked into' },
    reveal: { type: 'boolean', help: 'Mask nothing and leave nothing out (docs/redaction.md)' },
    'dry-run': {
      type: 'boolean',
      help: 'Only list what would be masked and left out; langfuse, otlp: print the spans as a tree',
    },
    yes: { type: 'boolean', help: 'Do not ask before saving' },
    force: { type: 'boolean', help: 'Replace files that are there' },
    all: { type: 'boolean', help: 'langfuse, otlp: every chat' },
    since: { type: 'string', value: 'TIME', help: 'langfuse, otlp: turns from then on: 2026-01-31, 7d, today' },
    endpoint: {
      type: 'string',
      value: 'URL',
      help: 'langfuse, otlp: send there instead of where the environment says',
    },
    'no-content': { type: 'boolean', help: 'langfuse, otlp: no prompts, answers, tool inputs or results' },
    again: { type: 'boolean', help: 'langfuse, otlp: also what was sent before' },
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein export html @last', 'the newest chat as one page'],
    ['skein export html login --to login.html --replay', 'a page that plays it step by step'],
    ['skein export md 4f0c --turn 3-5 --to - | less', 'three turns as Markdown'],
    ['skein export json @last --dry-run', 'what would be masked and left out'],
    ['skein export html project:tidepool --to tidepool', 'every chat of a project, with an index page'],
    ['skein export langfuse --all', 'all history to Langfuse, each turn once'],
    ['skein export otlp @last --dry-run', 'the newest chat as spans, nothing sent'],
    ['skein export otlp --since 7d --endpoint http://localhost:4318', 'the last week to a collector'],
  ],
  completes: 'selector',
  takes: 2,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const [name = '', ...positionals] = args.positionals;
  const load = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (load === undefined) {
    const known = Object.keys(FORMATS).join(', ');
    const what = name === '' ? 'Which format?' : `"skein export" has no "${name}".`;
    throw new UsageError(what, `skein export ${name}`.trimEnd(), `Say one of: ${known}. E.g. skein export html @last`);
  }
  const exportAs = await load();
  return exportAs(context, { ...args, positionals });
}
