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
  transport.onmessage = (message) => debug(`← ${shown(message)}`);
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
  const options = { requestInit: { headers: { ...server.headers } }, fetch: limitedFetch };
  return server.type === 'sse' ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
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
