/** Tools of servers as tools of ours. */
import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../format/json.ts';
import { toSendable } from '../tools/spill.ts';
import { failed, type Tool, type ToolHost, type ToolOutcome } from '../tools/tool.ts';
import type { Connection } from './connection.ts';
import { besideResult, blocksOf, errorWords, plain, plainObject } from './content.ts';
import { keepBytes } from './keep.ts';
import { isToolName, safeName, toolName } from './names.ts';

export interface ToolParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The session's own folder. */
  readonly folder: () => string;
}

/** Or why it cannot be offered. */
export function makeTool(connection: Connection, tool: ServerTool, parts: ToolParts): Tool | string {
  if (!isToolName(toolName(connection.name, tool.name))) return 'its name is too long';
  const unfit = unfitSchema(tool);
  if (unfit !== undefined) return unfit;
  try {
    return toolOf(connection, tool, parts);
  } catch (error) {
    return `nothing can be made of its input: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The server's word that it only reads lets calls run side by side; it allows none. */
function toolOf(connection: Connection, tool: ServerTool, parts: ToolParts): Tool {
  const name = toolName(connection.name, tool.name);
  const description = shortDescription(tool.description ?? '');
  const inputSchema = plainObject(tool.inputSchema);
  const isReader = tool.annotations?.readOnlyHint === true;
  return {
    name,
    description,
    definition: () => ({ name, description, input_schema: inputSchema }),
    // The server looks at its input itself.
    refuse: () => undefined,
    // Asked about in any case; one that may change something is not run in plan mode.
    acts: isReader ? 'fetches' : 'runs',
    parallel: () => isReader,
    run: (input, host) => runTool(connection, tool, name, input, host, parts),
  };
}

/** A server may not fill the context with words about itself. */
const MOST_DESCRIPTION = 10_000;

function shortDescription(text: string): string {
  return text.length > MOST_DESCRIPTION ? `${text.slice(0, MOST_DESCRIPTION)} …` : text;
}

/** Why the API would refuse every request that offers it. */
function unfitSchema({ inputSchema }: ServerTool): string | undefined {
  const odd = ['oneOf', 'anyOf', 'allOf'].find((key) => key in inputSchema);
  if (odd !== undefined) return `its input is a choice (${odd}), which the API does not take`;
  const bad = Object.keys(inputSchema.properties ?? {}).find((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key));
  return bad === undefined
    ? undefined
    : `its input has a field of a name that the API does not take: ${bad.slice(0, 80)}`;
}

async function runTool(
  connection: Connection,
  tool: ServerTool,
  name: string,
  input: JsonObject,
  host: ToolHost,
  parts: ToolParts,
): Promise<ToolOutcome> {
  try {
    return outcomeOf(await callTool(connection, tool, input, parts.env, host), connection, tool, name, host, parts);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** Throws where it nests too deep to be written down. */
function outcomeOf(
  result: CallToolResult,
  connection: Connection,
  tool: ServerTool,
  name: string,
  host: ToolHost,
  parts: ToolParts,
): ToolOutcome {
  if (result.isError) {
    const words = errorWords(result);
    return failed(toSendable(host, words, { max: mostChars(parts.env) }).text);
  }
  const { name: server } = connection;
  const keep = (bytes: Uint8Array, mimeType: string) =>
    keepBytes(parts.folder(), `${safeName(server)}-blob`, bytes, mimeType);
  const blocks = blocksOf(result, { server, keep });
  const beside = besideResult(result, tool.annotations?.readOnlyHint);
  if (blocks.length === 0) return { content: `(${name} completed with no output)`, result: [], beside };
  const content = fitting(withoutMany(blocks), host, mostChars(parts.env));
  return { content, result: plain(content), beside };
}

/** The API takes 32 MB with all that was said before. */
const MOST_PICTURE_CHARS = 8 * 1024 * 1024;

/** Pictures that are too many together lie in files, which the words beside them name. */
function withoutMany(blocks: string | JsonObject[]): string | JsonObject[] {
  if (typeof blocks === 'string') return blocks;
  let room = MOST_PICTURE_CHARS;
  return blocks.map((block) => {
    if (block.type !== 'image') return block;
    room -= JSON.stringify(block.source).length;
    return room >= 0 ? block : { type: 'text', text: '[An image is not shown: there are too many]' };
  });
}

/** The words of it that are too many lie in a file; pictures stay. */
function fitting(blocks: string | JsonObject[], host: ToolHost, max: number): string | JsonObject[] {
  if (typeof blocks === 'string') return toSendable(host, blocks, { max }).text;
  const words = blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
  if (words.length <= max) return blocks;
  const { text } = toSendable(host, words, { max });
  const pictures = blocks.filter(({ type }) => type === 'image');
  return pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures];
}

/** Throws an Error in words. */
export function callTool(
  connection: Connection,
  tool: ServerTool,
  input: JsonObject,
  env: ToolParts['env'],
  host: Pick<ToolHost, 'id' | 'signal' | 'progress'>,
): Promise<CallToolResult> {
  const limit = connection.server.timeout ?? numberIn(env.MCP_TOOL_TIMEOUT);
  const { name: server } = connection;
  const { name } = tool;
  // What it promises of its output is not held against it: the model reads what came.
  const { outputSchema: _, ...toolDefinition } = tool;
  return connection.use((client) =>
    client.callTool(
      { name, arguments: input, _meta: { 'claudecode/toolUseId': host.id } },
      {
        toolDefinition,
        signal: host.signal,
        timeout: Math.min(limit ?? IDLE_MS, MOST_MS),
        resetTimeoutOnProgress: limit === undefined,
        onprogress: ({ progress, total, message }) =>
          host.progress({
            type: 'mcp_progress',
            status: 'progress',
            serverName: server,
            toolName: name,
            progress,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { progressMessage: message.slice(0, 500) }),
          }),
      },
    ),
  );
}

/** Without a sign of life. */
const IDLE_MS = 30 * 60_000;
/** What a timer takes. */
const MOST_MS = 2_000_000_000;

function numberIn(text: string | undefined): number | undefined {
  const told = Number(text);
  return Number.isFinite(told) && told > 0 ? told : undefined;
}

/** As in the client: 50,000 characters, or four a token of what is asked for. */
export function mostChars(env: ToolParts['env']): number {
  const tokens = numberIn(env.MAX_MCP_OUTPUT_TOKENS);
  return tokens === undefined ? 50_000 : tokens * 4;
}
