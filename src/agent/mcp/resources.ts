/** Resources of servers: tools that list and read them, and `@server:uri` in what a person says. */
import type { ReadResourceResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { JsonObject } from '../../format/json.ts';
import { reminder } from '../commands/mentions.ts';
import { defineTool } from '../tools/define.ts';
import { toSendable } from '../tools/spill.ts';
import { type Follow, failed, type Tool, type ToolHost, type ToolOutcome } from '../tools/tool.ts';
import type { Connection } from './connection.ts';
import { keptWords, plain, plainObject } from './content.ts';
import { keepBytes } from './keep.ts';
import { safeName } from './names.ts';
import { mostChars, type ToolParts } from './tools.ts';

export interface ResourceParts extends ToolParts {
  /** Those that have any, by name. */
  readonly servers: () => readonly Connection[];
}

/** They only look, and only where a person let a server in. */
export function resourceTools(parts: ResourceParts): Tool[] {
  const list = defineTool({
    name: 'ListMcpResourcesTool',
    description:
      'Lists the resources that MCP servers offer (documents, records …), each with its uri and the name of its server. Read one with ReadMcpResourceTool.',
    input: z.strictObject({ server: z.string().optional().describe('Only those of this server') }),
    acts: 'reads',
    run: ({ server }, host) => attempt(() => listResources(server, host, parts)),
  });
  const read = defineTool({
    name: 'ReadMcpResourceTool',
    description: 'Reads one resource of an MCP server, by the name of the server and the uri of the resource.',
    input: z.strictObject({
      server: z.string().describe('The name of the server'),
      uri: z.string().describe('The uri of the resource'),
    }),
    acts: 'reads',
    run: ({ server, uri }, host) => attempt(() => readResource(server, uri, host, parts)),
  });
  return [list, read];
}

async function attempt(run: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await run();
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

async function listResources(
  server: string | undefined,
  { signal, ...host }: ToolHost,
  parts: ResourceParts,
): Promise<ToolOutcome> {
  const asked = server === undefined ? parts.servers() : [named(server, parts)];
  const lists = await Promise.all(
    asked.map(async (each): Promise<JsonObject[]> => {
      try {
        const { resources } = await each.use((client) => client.listResources({}, { signal }));
        return resources.map((resource) => ({ ...plainObject(resource), server: each.name }));
      } catch (error) {
        // One that fails does not hide what others have.
        if (server !== undefined) throw error;
        return [];
      }
    }),
  );
  const found = lists.flat();
  if (found.length === 0) return { content: 'There are no resources. Servers may still have tools.', result: [] };
  const max = mostChars(parts.env);
  return { content: toSendable({ signal, ...host }, JSON.stringify(found), { max }).text, result: found };
}

function named(server: string, { servers }: ResourceParts): Connection {
  const found =
    servers().find(({ name }) => name === server) ?? servers().find(({ name }) => safeName(name) === server);
  if (found !== undefined) return found;
  const names = servers().map(({ name }) => name);
  throw new Error(`Server "${server}" not found. Available servers: ${names.join(', ')}`);
}

async function readResource(server: string, uri: string, host: ToolHost, parts: ResourceParts): Promise<ToolOutcome> {
  const connection = named(server, parts);
  const read = await connection.use((client) => client.readResource({ uri }, { signal: host.signal }));
  const result = { contents: contentsOf(connection.name, read, parts) };
  const { text } = toSendable(host, JSON.stringify(result), { max: mostChars(parts.env) });
  return { content: text, result: plain(result) };
}

function contentsOf(server: string, { contents }: ReadResourceResult, parts: ToolParts): JsonObject[] {
  return contents.map((each): JsonObject => {
    const { uri, mimeType } = each;
    const about = { uri, ...(mimeType !== undefined && { mimeType }) };
    if ('text' in each) return { ...about, text: each.text };
    const type = mimeType ?? 'application/octet-stream';
    let blobSavedTo: string | undefined;
    const keep = (bytes: Uint8Array) => {
      blobSavedTo = keepBytes(parts.folder(), 'resource', bytes, type);
      return blobSavedTo;
    };
    const words = keptWords(each.blob, type, { server, keep });
    const text = `[Resource from ${server} at ${uri}] ${words}`;
    return { ...about, ...(blobSavedTo !== undefined && { blobSavedTo }), text };
  });
}

const MOST_MENTIONS = 10;
const MOST_CHARS = 50_000;

/** Those that a text names and that can be read. */
export async function mentionedResources(text: string, parts: ResourceParts, signal: AbortSignal): Promise<Follow[]> {
  const names = [
    ...new Set([...text.matchAll(/(?:^|\s)@([^\s:@]+):(\S+)/g)].map(([, server, uri]) => `${server}:${uri}`)),
  ];
  const found = await Promise.all(
    names.slice(0, MOST_MENTIONS).map(async (name): Promise<Follow[]> => {
      const at = name.indexOf(':');
      const [server, uri] = [name.slice(0, at), name.slice(at + 1)];
      const connection = parts.servers().find((each) => each.name === server || safeName(each.name) === server);
      if (connection === undefined) return [];
      try {
        const read = await connection.use((client) => client.readResource({ uri }, { signal }));
        const contents = contentsOf(connection.name, read, parts);
        const words = contents.map((each) => String(each.text ?? '')).join('\n');
        const attachment = { type: 'mcp_resource', server: connection.name, uri, name: uri, content: { contents } };
        const told = `The resource ${uri} of the MCP server ${connection.name}:\n${words.slice(0, MOST_CHARS)}`;
        // It must not close the marks that it is told in.
        const rendered = [reminder(told.replace(/<(?=\/?system-reminder)/gi, '&lt;'))];
        return [{ kind: 'attachment', attachment, rendered }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
