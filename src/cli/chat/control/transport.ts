/** `mcp_message`: the way to MCP servers that run in the program. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { asObject, type JsonObject } from '../../../format/json.ts';
import type { Channel } from './channel.ts';

export interface ProgramServers {
  /** A new connection takes the place of the one before. */
  connect(name: string): Transport;
  /** What a server said by itself; false when there is no connection to it. */
  deliver(name: string, message: JsonObject): boolean;
}

export function programServers(channel: Channel): ProgramServers {
  const connections = new Map<string, Transport>();
  return {
    connect(name) {
      const transport = transportTo(name, channel, () => {
        if (connections.get(name) === transport) connections.delete(name);
      });
      connections.set(name, transport);
      return transport;
    },
    deliver(name, message) {
      const transport = connections.get(name);
      if (transport?.onmessage === undefined || !isMessage(message)) return false;
      transport.onmessage(message);
      return true;
    },
  };
}

function transportTo(name: string, channel: Channel, onEnd: () => void): Transport {
  const closing = new AbortController();
  const transport: Transport = {
    start: async () => {},
    send: async (message) => {
      const request = { subtype: 'mcp_message', server_name: name, message: asJson(message) };
      const asked = channel.ask(request, { signal: closing.signal });
      // What wants no answer is not waited for.
      if (!('id' in message && 'method' in message)) return;
      const reply = await asked;
      if (reply.kind === 'gone') throw new Error(`The program does not answer for the server ${name}.`);
      if (reply.kind === 'error') throw new Error(reply.error);
      const response = asObject(reply.response.mcp_response);
      if (response !== undefined && isMessage(response)) transport.onmessage?.(response);
    },
    close: async () => {
      if (closing.signal.aborted) return;
      closing.abort();
      onEnd();
      transport.onclose?.();
    },
  };
  return transport;
}

function isMessage(value: JsonObject): value is JsonObject & JSONRPCMessage {
  return value.jsonrpc === '2.0';
}

function asJson(message: JSONRPCMessage): JsonObject {
  return asObject(JSON.parse(JSON.stringify(message))) ?? {};
}
