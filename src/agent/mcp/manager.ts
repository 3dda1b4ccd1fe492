/** All servers of a session: they begin side by side, and what they offer joins the tools as it comes. */
import type { JsonObject } from '../../format/json.ts';
import type { Follow, Tool } from '../tools/tool.ts';
import { type Connection, type ConnectionHost, createConnection } from './connection.ts';
import { errorWords, plainObject } from './content.ts';
import { toolName } from './names.ts';
import { commandsOf, promptBlocks } from './prompts.ts';
import { mentionedResources, type ResourceParts, resourceTools } from './resources.ts';
import { callTool, makeTool } from './tools.ts';
import type { AgentMcp, McpOptions, McpScope, McpServer, McpState } from './types.ts';

export interface ManagerHost extends Omit<ConnectionHost, 'changed' | 'sdk'> {
  sdk: McpOptions['sdk'];
  /** The session's own folder. */
  readonly folder: () => string;
  /** Those of the session, which change as servers come and go. */
  readonly tools: Map<string, Tool>;
  /** A rule or an option leaves it out. */
  readonly isLeftOut: (tool: string) => boolean;
  readonly notice: (words: string) => void;
  /** Milliseconds that servers of files have before the first request goes without them. */
  readonly patienceMs?: number;
}

export interface Manager extends Omit<AgentMcp, 'approve'> {
  /** Resolves when those that are waited for came to something. */
  ready(signal?: AbortSignal): Promise<void>;
  readonly instructions: readonly { readonly server: string; readonly text: string }[];
  promptBlocks(
    called: { readonly name: string; readonly args: string },
    signal: AbortSignal,
  ): Promise<JsonObject[] | undefined>;
  mentioned(text: string, signal: AbortSignal): Promise<Follow[]>;
  close(): Promise<void>;
}

/** Servers that were named for this very run are waited for; those of files as long as in the client. */
const WAITED_FOR: ReadonlySet<McpScope> = new Set(['flag', 'sdk', 'acp', 'dynamic', 'managed']);
const PATIENCE_MS = 2000;

export function createManager(servers: ReadonlyMap<string, McpServer>, host: ManagerHost): Manager {
  const connections = new Map<string, Connection>();
  /** Names in `host.tools` that are ours. */
  let offered: readonly string[] = [];
  const told = new Set<string>();
  let isClosed = false;
  const resourceParts: ResourceParts = {
    env: host.env,
    folder: host.folder,
    servers: () => [...connections.values()].filter(({ hasResources }) => hasResources),
  };
  const readers = resourceTools(resourceParts);

  const noticeOnce = (words: string) => {
    if (told.has(words)) return;
    told.add(words);
    host.notice(words);
  };
  /** A server that goes away for a moment keeps its tools: a call brings it back. */
  const sync = () => {
    if (isClosed) return;
    for (const name of offered) host.tools.delete(name);
    const found = new Map<string, Tool>();
    for (const connection of connections.values()) {
      const { name: server, status, error } = connection;
      if ((status === 'failed' || status === 'needs-auth') && connection.tools.length === 0) {
        noticeOnce(`The MCP server "${server}" cannot be used: ${error}.`);
      }
      for (const tool of connection.tools) {
        const name = toolName(server, tool.name);
        const made = found.has(name) ? 'another one has that name' : makeTool(connection, tool, host);
        if (typeof made === 'object') found.set(name, made);
        else noticeOnce(`The tool ${name.slice(0, 200)} of the MCP server "${server}" is left out: ${made}.`);
      }
    }
    const reading = resourceParts.servers().length > 0 ? readers : [];
    const sorted = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const kept = [...reading, ...sorted].filter(({ name }) => !host.isLeftOut(name) && !host.tools.has(name));
    for (const tool of kept) host.tools.set(tool.name, tool);
    offered = kept.map(({ name }) => name);
  };

  const add = (name: string, server: McpServer): Connection => {
    const connection = createConnection(name, server, { ...host, sdk: () => host.sdk, changed: sync });
    // Two may want it started anew at once, and somebody may have closed all meanwhile.
    void connections.get(name)?.stop();
    connections.set(name, connection);
    if (server.off === undefined && !isClosed) void connection.start();
    return connection;
  };
  for (const [name, server] of servers) add(name, server);

  const restart = async (name: string, server: McpServer): Promise<McpState | undefined> => {
    await connections.get(name)?.stop();
    const connection = add(name, server);
    await connection.settled;
    sync();
    return stateOf(connection);
  };

  return {
    get servers() {
      return [...connections.values()].map(stateOf);
    },
    get commands() {
      return commandsOf(connections.values());
    },
    get instructions() {
      return [...connections.values()].flatMap(({ name, instructions }) =>
        instructions === undefined ? [] : [{ server: name, text: instructions }],
      );
    },
    ready: async (signal) => {
      const waits = [...connections.values()].map(({ server, settled, age }) =>
        WAITED_FOR.has(server.scope) ? settled : atMost(settled, (host.patienceMs ?? PATIENCE_MS) - age),
      );
      await Promise.race([Promise.all(waits), aborted(signal)]);
    },
    reconnect: async (name) => {
      const there = connections.get(name);
      if (there === undefined || there.status === 'disabled') return there && stateOf(there);
      return restart(name, there.server);
    },
    toggle: async (name, on) => {
      const there = connections.get(name);
      if (there === undefined) return undefined;
      if (on === (there.status !== 'disabled')) return stateOf(there);
      const { off: _, ...server } = there.server;
      if (on) return restart(name, server);
      await there.stop();
      sync();
      return stateOf(there);
    },
    setServers: async (wanted) => {
      const replaced = [...connections.values()].filter(
        ({ server }) => server.scope === 'dynamic' || server.scope === 'sdk',
      );
      const isSame = ({ name, server }: Connection) => JSON.stringify(server) === JSON.stringify(wanted.get(name));
      const removed = replaced.filter((each) => !isSame(each));
      for (const { name } of removed) connections.delete(name);
      await Promise.all(removed.map((each) => each.stop()));
      const errors: Record<string, string> = {};
      const added: Connection[] = [];
      for (const [name, server] of wanted) {
        const there = connections.get(name);
        if (there === undefined) added.push(add(name, server));
        else if (!isSame(there)) errors[name] = `there is a server of that name already (${there.server.scope})`;
      }
      await Promise.all(added.map(({ settled }) => settled));
      sync();
      for (const { name, status, error } of added) if (status !== 'connected') errors[name] = error ?? status;
      const isGone = ({ name }: Connection) => !wanted.has(name);
      return { added: added.map(({ name }) => name), removed: removed.filter(isGone).map(({ name }) => name), errors };
    },
    setSdk: (sdk) => {
      host.sdk = sdk;
    },
    call: async (tool, input, signal) => {
      for (const connection of connections.values()) {
        const found = connection.tools.find((each) => toolName(connection.name, each.name) === tool);
        if (found === undefined) continue;
        try {
          const id = String(input.tool_use_id ?? '');
          const result = await callTool(connection, found, input, host.env, { id, signal, progress: () => {} });
          return { text: errorWords(result), isError: result.isError === true };
        } catch (error) {
          return { text: error instanceof Error ? error.message : String(error), isError: true };
        }
      }
      return { text: `There is no tool named ${tool}.`, isError: true };
    },
    promptBlocks: (called, signal) => promptBlocks(connections.values(), called, host, signal),
    mentioned: (text, signal) => mentionedResources(text, resourceParts, signal),
    close: async () => {
      isClosed = true;
      await Promise.all([...connections.values()].map((each) => each.stop()));
    },
  };
}

function stateOf({ name, status, server, error, serverInfo, tools }: Connection): McpState {
  const isThere = status === 'connected';
  return {
    name,
    status,
    scope: server.scope,
    config: server,
    ...(error !== undefined && { error }),
    ...(isThere && serverInfo && { serverInfo }),
    ...(isThere && {
      tools: tools.map(({ name: tool, description, annotations: hints }) => {
        const annotations = plainObject({
          readOnly: hints?.readOnlyHint,
          destructive: hints?.destructiveHint,
          openWorld: hints?.openWorldHint,
        });
        return { name: tool, ...(description !== undefined && { description }), annotations };
      }),
    }),
  };
}

async function atMost(done: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
