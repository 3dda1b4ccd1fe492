/** The way to a server, by its kind. */
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { limitedFetch } from './limited.ts';
import { createProcessTransport, type ProcessTransport } from './stdio.ts';
import type { McpOptions, McpServer } from './types.ts';

export interface TransportHost {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sdk?: McpOptions['sdk'];
  /** Masked already. */
  readonly debug?: (words: string) => void;
}

/** Throws in words where there is none. */
export function transportTo(server: McpServer, host: TransportHost): Transport | ProcessTransport {
  const { debug } = host;
  const transport = made(server, host);
  if (debug === undefined) return transport;
  // What is there before the client connects goes on hearing.
  const heard = transport.onmessage;
  transport.onmessage = (message, extra) => {
    debug(`← ${shown(message)}`);
    heard?.(message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    debug(`→ ${shown(message)}`);
    return send(message, options);
  };
  return transport;
}

function made(server: McpServer, { cwd, env, sdk, debug }: TransportHost): Transport | ProcessTransport {
  if (server.type === 'stdio') {
    return createProcessTransport({
      command: server.command,
      args: server.args ?? [],
      env: { ...env, CLAUDE_PROJECT_DIR: cwd, ...server.env },
      cwd,
      ...(debug && {
        onStderr: (line: string) => debug(`! ${line}`),
        onNoise: (line: string) => debug(`← (no message) ${shortened(line)}`),
      }),
    });
  }
  if (server.type === 'sdk') {
    if (sdk === undefined) throw new Error('nobody here carries messages to servers of the driving program');
    return sdk(server.name);
  }
  const url = new URL(server.url);
  /** Requests without an answer. */
  const open = new Set<string | number>();
  const over = (id: string | number, message: string) => {
    if (open.delete(id)) transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
  };
  const options = { requestInit: { headers: { ...server.headers } }, fetch: limitedFetch(over) };
  // Over the older way all answers come in one stream.
  if (server.type === 'sse') return new SSEClientTransport(url, options);
  const transport: Transport = new StreamableHTTPClientTransport(url, options);
  transport.onmessage = (message) => {
    if (!('method' in message) && message.id !== undefined) open.delete(message.id);
  };
  const send = transport.send.bind(transport);
  transport.send = (message, how) => {
    if ('method' in message && 'id' in message) open.add(message.id);
    return send(message, how);
  };
  return transport;
}

/** What nests too deep cannot be written down. */
function shown(message: object): string {
  try {
    return shortened(JSON.stringify(message));
  } catch {
    return '(a message)';
  }
}

function shortened(text: string): string {
  return text.length > 2000 ? `${text.slice(0, 2000)}… (${text.length} characters)` : text;
}
