/** One server: connected to, asked, and connected to again when it ended. What it does wrong stays its own failure. */
import { pathToFileURL } from 'node:url';
import { Client, type Prompt, SdkHttpError, type Tool as ServerTool } from '@modelcontextprotocol/client';
import { explained, StartFailure, whyEnded, wordsOf } from './failures.ts';
import { maskFor } from './masked.ts';
import { type TransportHost, transportTo } from './transport.ts';
import type { McpServer, McpState, McpStatus } from './types.ts';

export interface ConnectionHost extends Omit<TransportHost, 'debug' | 'sdk'> {
  readonly version: string;
  readonly sdk: () => TransportHost['sdk'];
  readonly debug?: (words: string) => void;
  /** The folders of the work. */
  readonly folders: () => readonly string[];
  /** What it offers, or its status, is another now. */
  changed(): void;
}

export interface Connection {
  readonly name: string;
  readonly server: McpServer;
  readonly status: McpStatus;
  readonly error: string | undefined;
  readonly serverInfo: McpState['serverInfo'];
  readonly instructions: string | undefined;
  /** Those it had when it was last there. */
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly Prompt[];
  readonly hasResources: boolean;
  /** Resolves when the last start came to something. */
  readonly settled: Promise<void>;
  /** Milliseconds since the last start began. */
  readonly age: number;
  start(): Promise<void>;
  /** Asks it something, after a new start where it ended. Throws an Error in words for the model. */
  use<T>(ask: (client: Client) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts in a row that came to nothing. */
const MOST_RESTARTS = 3;
/** A server that knows only the older protocol may leave the question for the newer one unanswered. */
const PROBE_MS = 3000;

export function createConnection(name: string, server: McpServer, host: ConnectionHost): Connection {
  const mask = maskFor(server);
  const debug = host.debug && ((words: string) => host.debug?.(`${name} ${mask(words)}`));
  let status: McpStatus = server.off === undefined ? 'pending' : 'disabled';
  let error: string | undefined = server.off;
  let client: Client | undefined;
  let offers: Offers = NOTHING;
  let restarts = 0;
  let reviving: Promise<void> | undefined;
  let begun = 0;
  let settled: Promise<void> = Promise.resolve();
  /** Counts starts and stops: what an earlier one still says is not heard. */
  let era = 0;
  let stopping = new AbortController();
  let closing: Promise<void> | undefined;

  const attempt = async (isOld: boolean, mine: number): Promise<void> => {
    const transport = transportTo(server, { ...host, sdk: host.sdk(), ...(debug && { debug }) });
    const timeout = startMs(host.env);
    // Silence over HTTP is no sign of age.
    const probe = server.type === 'stdio' ? Math.min(PROBE_MS, timeout / 4) : timeout + 1000;
    const fresh = new Client(
      { name: 'skein', title: 'Skein', version: host.version },
      {
        capabilities: { roots: { listChanged: true } },
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: probe } },
        listChanged: {
          tools: { onChanged: (_, tools) => mine === era && tools && offered({ tools }) },
          prompts: { onChanged: (_, prompts) => mine === era && prompts && offered({ prompts }) },
        },
      },
    );
    fresh.setRequestHandler('roots/list', () => ({
      roots: host.folders().map((folder) => ({ uri: pathToFileURL(folder).href })),
    }));
    fresh.onerror = (said) => debug?.(`! ${said.message}`);
    const clock = AbortSignal.timeout(timeout);
    const late = AbortSignal.any([clock, stopping.signal]);
    try {
      // In vain where the server never says anything: the signal ends it.
      const prior = isOld ? { prior: { kind: 'legacy' as const } } : {};
      await orAborted(late, fresh.connect(transport, { timeout, signal: late, ...prior }));
      const found = await orAborted(late, offersOf(fresh, timeout));
      if (mine !== era) throw new Error('it is not wanted any more');
      [client, offers] = [fresh, found];
      fresh.onclose = () => {
        if (mine !== era || client !== fresh) return;
        client = undefined;
        [status, error] = ['failed', mask(whyEnded(transport))];
        host.changed();
      };
    } catch (failure) {
      const said = explained(failure, transport, clock.aborted ? timeout : undefined);
      await fresh.close().catch(() => {});
      await transport.close().catch(() => {});
      throw said;
    }
  };

  const offered = (news: Partial<Offers>) => {
    offers = { ...offers, ...news };
    host.changed();
  };

  const start = async (): Promise<void> => {
    era += 1;
    const mine = era;
    stopping.abort();
    stopping = new AbortController();
    const old = client;
    client = undefined;
    [status, error] = ['pending', undefined];
    begun = performance.now();
    await old?.close().catch(() => {});
    try {
      try {
        await attempt(server.type === 'sdk', mine);
      } catch (failure) {
        // Older servers end at a question that they do not know.
        if (!(failure instanceof StartFailure) || !failure.mayBeOld || mine !== era) throw failure;
        await attempt(true, mine);
      }
      if (mine === era) status = 'connected';
    } catch (failure) {
      if (mine !== era) return;
      status = failure instanceof StartFailure && failure.needsAuth ? 'needs-auth' : 'failed';
      error = mask(failure instanceof Error ? failure.message : String(failure));
      debug?.(`! ${error}`);
    }
    if (mine === era) host.changed();
  };

  const begin = (): Promise<void> => {
    settled = start();
    return settled;
  };

  /** Once for all calls that find it gone. */
  const revive = (): Promise<void> => {
    if (reviving !== undefined) return reviving;
    restarts += 1;
    reviving = begin().finally(() => {
      reviving = undefined;
    });
    return reviving;
  };

  const connected = async (): Promise<Client> => {
    await settled;
    if (client !== undefined) return client;
    if (status === 'disabled') throw new Error(`The MCP server "${name}" is turned off.`);
    if (restarts >= MOST_RESTARTS && reviving === undefined) {
      throw new Error(`The MCP server "${name}" was started ${restarts} times in vain and is left alone now: ${error}`);
    }
    await revive();
    if (client === undefined) throw new Error(`The MCP server "${name}" cannot be reached: ${error}`);
    return client;
  };

  return {
    name,
    server,
    get status() {
      return status;
    },
    get error() {
      return error;
    },
    get serverInfo() {
      return offers.serverInfo;
    },
    get instructions() {
      return status === 'connected' ? offers.instructions : undefined;
    },
    get tools() {
      return status === 'disabled' ? [] : offers.tools;
    },
    get prompts() {
      return status === 'disabled' ? [] : offers.prompts;
    },
    get hasResources() {
      return status !== 'disabled' && offers.hasResources;
    },
    get settled() {
      return settled;
    },
    get age() {
      return performance.now() - begun;
    },
    start: begin,
    use: async (ask) => {
      const asked = await connected();
      try {
        const answer = await ask(asked);
        restarts = 0;
        return answer;
      } catch (failure) {
        if (failure instanceof SdkHttpError && failure.status === 404) {
          // It forgot the session: a new one is begun, once, whoever was first to hear of it.
          await (client === asked ? revive() : settled);
          if (client !== undefined) return await ask(client);
        }
        throw new Error(mask(wordsOf(failure, name, client === undefined ? error : undefined)));
      }
    },
    stop: async () => {
      era += 1;
      const old = client;
      client = undefined;
      [status, error] = ['disabled', undefined];
      stopping.abort();
      // Whoever stops it meanwhile waits for the same.
      if (old !== undefined) closing = old.close().catch(() => {});
      await closing;
      await settled;
    },
  };
}

interface Offers {
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly Prompt[];
  readonly hasResources: boolean;
  readonly serverInfo?: McpState['serverInfo'];
  readonly instructions?: string;
}

const NOTHING: Offers = { tools: [], prompts: [], hasResources: false };

async function offersOf(client: Client, timeout: number): Promise<Offers> {
  const can = client.getServerCapabilities() ?? {};
  const [tools, prompts] = await Promise.all([
    can.tools ? client.listTools({}, { timeout }).then((listed) => listed.tools) : [],
    // Without them it is still of use.
    can.prompts
      ? client.listPrompts({}, { timeout }).then(
          (listed) => listed.prompts,
          () => [],
        )
      : [],
  ]);
  const info = client.getServerVersion();
  const instructions = client.getInstructions();
  return {
    tools,
    prompts,
    hasResources: can.resources !== undefined,
    ...(info && { serverInfo: { name: info.name, version: info.version } }),
    ...(instructions && { instructions }),
  };
}

/** Milliseconds a start may take. */
function startMs(env: ConnectionHost['env']): number {
  const told = Number(env.MCP_TIMEOUT);
  return Number.isFinite(told) && told > 0 ? Math.min(told, 2_000_000_000) : 30_000;
}

function orAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
