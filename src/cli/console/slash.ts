/** Commands that the console answers itself; all others are the agent's. */
import type { Agent } from '../../agent/agenttypes.ts';
import { asArray, asObject, parseJson } from '../../format/json.ts';
import { safeLine } from '../../views/safe.ts';
import type { Chosen } from '../chat/session.ts';
import type { App } from './app.ts';
import { contextText } from './contextview.ts';
import type { ConsoleHost } from './host.ts';
import type { Palette } from './palette.ts';
import { SLASHES } from './slashes.ts';

export interface SlashHost {
  readonly app: App;
  readonly host: ConsoleHost;
  readonly palette: Palette;
  agent(): Agent | undefined;
  /** Another session takes the place of this one. */
  change(chosen: Chosen, words: string): Promise<void>;
  /** Closes the session, so that a verb may work on it. */
  leave(): Promise<void>;
  /** Says something to the agent. */
  turn(text: string): Promise<void>;
  /** Runs what a person typed after `!`. */
  shell(command: string): Promise<{ readonly text: string; readonly failed: boolean } | undefined>;
  end(): void;
}

/** Not for the first prompt: they bring other tables of widths with them. */
const pickers = () => import('./pickers.ts');

/** `turn`: it is for the agent after all. */
type Outcome = 'turn' | undefined;
type Run = (args: string, slash: SlashHost) => Promise<Outcome> | Outcome;

const RUNS: Readonly<Record<string, Run>> = {
  help: (_args, { app, agent }) => output(app, helpText(agent())),
  exit: (_args, { end }) => void end(),
  quit: (_args, { end }) => void end(),
  clear: async (_args, { change }) => void (await change({ kind: 'new' }, 'A new session.')),
  resume: async (_args, slash) => void (await (await pickers()).pickSession(slash)),
  rewind: async (_args, slash) => void (await (await pickers()).pickRewind(slash)),
  branch: async (_args, slash) => void (await branch(slash)),
  model: async (args, slash) => {
    if (args !== '') return 'turn';
    const text = await (await pickers()).pickModel(slash);
    if (text !== undefined) await slash.turn(text);
    return undefined;
  },
  context: async (_args, slash) => void (await showContext(slash)),
  tree: async (_args, { app, host, agent }) => {
    const { out, err } = await host.verb(['tree', agent()?.sessionId ?? '']);
    return output(app, out.trimEnd() || err.trimEnd());
  },
  export: async (args, slash) => void (await exportTo(args, slash)),
  memory: (_args, { app, host }) => output(app, memoryText(host)),
  // What changes a server is the agent's to do.
  mcp: (args, { app, agent }) => (args === '' ? output(app, mcpText(agent())) : 'turn'),
  hooks: async (_args, { app, host }) => output(app, (await host.verb(['config', 'hooks'])).out.trimEnd()),
  agents: (_args, { app, agent }) => output(app, agentsText(agent())),
};

export async function runSlash(text: string, slash: SlashHost): Promise<Outcome> {
  if (text.startsWith('!')) return runShell(text.slice(1).trim(), slash);
  const [, name = '', args = ''] = /^\s*\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === '') return 'turn';
  const run = Object.hasOwn(RUNS, name) ? RUNS[name] : undefined;
  if (run !== undefined) return run(args.trim(), slash);
  if (args !== '' || slash.agent()?.commands.includes(name)) return 'turn';
  slash.app.put({ kind: 'note', tone: 'warn', text: `There is no /${name}. See /help.` });
  return undefined;
}

async function runShell(command: string, slash: SlashHost): Promise<undefined> {
  const { app } = slash;
  if (command === '') return;
  const ran = await slash.shell(command);
  if (ran !== undefined) app.put({ kind: 'shell', command, ...ran });
}

/** What would be sent next, by kind. */
async function showContext({ app, host, agent }: SlashHost): Promise<void> {
  const now = agent();
  if (now === undefined) return;
  const { out } = await host.verb(['context', now.sessionId, '--json', '--reveal']);
  const messages = asArray(asObject(parseJson(out))?.messages) ?? [];
  app.put({ kind: 'output', text: contextText(messages, now.tokens(), now.model) });
}

async function branch(slash: SlashHost): Promise<void> {
  const agent = slash.agent();
  if (agent === undefined || !agent.isBegun) {
    slash.app.put({ kind: 'note', tone: 'dim', text: 'Nothing was said yet: there is nothing to branch off.' });
    return;
  }
  const { file } = agent;
  await slash.change({ kind: 'fork', file }, 'Going on in a copy; the session itself stays as it is.');
}

async function exportTo(args: string, slash: SlashHost): Promise<void> {
  const id = slash.agent()?.sessionId ?? '';
  const kind = args.endsWith('.html') ? 'html' : args.endsWith('.json') ? 'json' : 'md';
  const to = args === '' ? [] : ['--to', args];
  const { code, out, err } = await slash.host.verb(['export', kind, id, ...to, '--yes']);
  const text = (code === 0 ? out : err).trim() || 'Nothing was said yet: there is nothing to export.';
  slash.app.put({ kind: 'note', tone: code === 0 ? 'dim' : 'bad', text });
}

function memoryText(host: ConsoleHost): string {
  const files = host.memory();
  if (files.length === 0) return 'No CLAUDE.md or AGENTS.md holds here.';
  return ['Instructions from files, the last one counts most:', ...files.map((file) => `  ${file}`)].join('\n');
}

function mcpText(agent: Agent | undefined): string {
  const servers = agent?.mcp.servers ?? [];
  if (servers.length === 0) return 'No MCP servers are set up.';
  return servers
    .map(({ name, status, tools, error }) => {
      const about = error ?? (tools === undefined ? '' : tools.map((tool) => tool.name).join(', '));
      return `  ${safeLine(`${name}  ${status}  ${about}`).trimEnd()}`;
    })
    .join('\n');
}

function agentsText(agent: Agent | undefined): string {
  const types = agent?.agentTypes ?? [];
  return types.map(({ name, description }) => `  ${safeLine(name).padEnd(18)} ${safeLine(description)}`).join('\n');
}

function output(app: App, text: string): undefined {
  app.put({ kind: 'output', text });
}

const KEYS = `⏎ sends · \\⏎ or Shift-⏎ a new line · ↑ what you typed before, or takes back what waits
Esc stops what it does · Esc Esc back to an earlier prompt · Shift-Tab changes what it may do
@ names a file · / a command · ! runs a command yourself · Ctrl-R searches what you typed
Ctrl-O writes out what was folded · Ctrl-C twice or Ctrl-D ends`;

function helpText(agent: Agent | undefined): string {
  const own = new Set(SLASHES.map(({ name }) => name));
  const others = (agent?.commandList ?? []).filter(({ name }) => !own.has(name));
  const lines = [
    ...SLASHES.map(({ name, hint = '', about }) => ({ name, hint, about })),
    ...others.map(({ name, hint = '', description }) => ({ name, hint, about: description })),
  ].map(({ name, hint, about }) => `  /${`${name} ${hint}`.trim().padEnd(24)} ${safeLine(about)}`);
  return [KEYS, '', ...lines].join('\n');
}
