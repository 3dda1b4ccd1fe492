/** The MCP servers of a session. Without any nothing of the protocol is loaded. */
import type { JsonObject } from '../../format/json.ts';
import type { AgentOptions } from '../agenttypes.ts';
import type { TurnPrompt } from '../ports.ts';
import type { Follow } from '../tools/tool.ts';
import { approve } from './command.ts';
import { instructionsText } from './instructions.ts';
import type { Manager, ManagerHost } from './manager.ts';
import type { AgentMcp, McpOptions, McpState } from './types.ts';

export interface SessionMcp extends AgentMcp {
  /** Resolves when those that are waited for came to something. `said`: the prompt; with `/mcp` a person speaks of servers unasked. */
  ready(signal?: AbortSignal, said?: TurnPrompt['content']): Promise<void>;
  /** What servers say of themselves, for the system prompt. */
  readonly instructions: string;
  /** Undefined where there is no such prompt; throws an Error in words. */
  promptBlocks(
    called: { readonly name: string; readonly args: string },
    signal: AbortSignal,
  ): Promise<JsonObject[] | undefined>;
  /** Resources that a text names as `@server:uri`. */
  mentioned(text: string, signal: AbortSignal): Promise<readonly Follow[]>;
  close(): Promise<void>;
}

export interface SessionMcpHost extends Omit<ManagerHost, 'sdk' | 'debug'> {
  readonly ask: AgentOptions['ask'];
}

export function createSessionMcp(options: McpOptions | undefined, host: SessionMcpHost): SessionMcp {
  let manager: Manager | undefined;
  let loading: Promise<Manager> | undefined;
  let sdk = options?.sdk;
  const { debug } = options ?? {};
  let mayAsk = options?.asks === true;
  const load = (): Promise<Manager> => {
    loading ??= import('./manager.ts').then(({ createManager }) => {
      manager = createManager(options?.servers ?? new Map(), { ...host, sdk, ...(debug && { debug }) });
      return manager;
    });
    return loading;
  };
  if (options !== undefined && options.servers.size > 0) load().catch(() => {});
  const mcp: SessionMcp = {
    get servers() {
      return manager?.servers ?? notYet(options);
    },
    get commands() {
      return manager?.commands ?? [];
    },
    get instructions() {
      return instructionsText(manager?.instructions ?? []);
    },
    ready: async (signal = new AbortController().signal, said = '') => {
      const there = await loading;
      const isAbout = typeof said === 'string' && /^\s*\/mcp(?:\s|$)/.test(said);
      const asks = mayAsk && !isAbout;
      if (there !== undefined && asks) await (await import('./askapproval.ts')).askApprovals(mcp, host, signal);
      mayAsk &&= isAbout;
      await there?.ready(signal);
    },
    reconnect: async (name) => (await loading)?.reconnect(name),
    toggle: async (name, on) => (await loading)?.toggle(name, on),
    approve: (name, isYes) => approve(mcp, host.cwd, name, isYes),
    setServers: async (servers) => {
      if (servers.size === 0 && loading === undefined) return { added: [], removed: [], errors: {} };
      const errors: Record<string, string> = {};
      const allowed = [...servers].filter(([name, server]) => {
        const why = options?.forbidden?.(name, server);
        if (why !== undefined) errors[name] = why;
        return why === undefined;
      });
      const changed = await (await load()).setServers(new Map(allowed));
      return { ...changed, errors: { ...changed.errors, ...errors } };
    },
    setSdk: (carry) => {
      sdk = carry;
      manager?.setSdk(carry);
    },
    call: async (tool, input, signal) =>
      (await loading)?.call(tool, input, signal) ?? { text: `There is no tool named ${tool}.`, isError: true },
    promptBlocks: async (called, signal) => (await loading)?.promptBlocks(called, signal),
    mentioned: async (text, signal) => (await loading)?.mentioned(text, signal) ?? [],
    close: async () => (await loading)?.close(),
  };
  return mcp;
}

function notYet(options: McpOptions | undefined): McpState[] {
  return [...(options?.servers ?? [])].map(([name, config]) => ({
    name,
    status: config.off === undefined ? 'pending' : 'disabled',
    scope: config.scope,
    config,
    ...(config.off !== undefined && { error: config.off }),
  }));
}
