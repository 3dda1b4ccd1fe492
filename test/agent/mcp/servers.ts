/** MCP servers in a session of their own, without a model. */
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createManager, type Manager } from '../../../src/agent/mcp/manager.ts';
import type { McpServer } from '../../../src/agent/mcp/types.ts';
import type { Tool, ToolHost, ToolOutcome } from '../../../src/agent/tools/tool.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { tempFolder } from '../../support/files.ts';
import { testSession } from '../tools/shell-host.ts';

const ODD = fileURLToPath(new URL('../../support/mcp-odd.ts', import.meta.url));

/** The server of test/support/mcp-odd.ts, in one of its moods. */
export function odd(mode = 'fine', ...more: string[]): McpServer {
  return { type: 'stdio', command: process.execPath, args: [ODD, mode, ...more], scope: 'flag' };
}

export interface Servers {
  readonly manager: Manager;
  readonly tools: Map<string, Tool>;
  readonly notices: string[];
  readonly said: string[];
  readonly folder: string;
  call(tool: string, input?: JsonObject, more?: Partial<ToolHost>): Promise<ToolOutcome>;
}

export async function serversOf(
  servers: Readonly<Record<string, McpServer>>,
  env: Readonly<Record<string, string>> = {},
  isLeftOut: (tool: string) => boolean = () => false,
): Promise<Servers> {
  const folder = tempFolder();
  const tools = new Map<string, Tool>();
  const [notices, said]: string[][] = [[], []];
  const manager = createManager(new Map(Object.entries(servers)), {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    version: '0.0.0-test',
    folders: () => [folder],
    folder: () => folder,
    tools,
    isLeftOut,
    notice: (words) => void notices?.push(words),
    debug: (words) => void said?.push(words),
    sdk: undefined,
    patienceMs: 300,
  });
  onTestFinished(() => manager.close());
  await manager.ready();
  const session = testSession();
  const call: Servers['call'] = async (name, input = {}, more = {}) => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name} among ${[...tools.keys()].join()}`);
    const { signal } = new AbortController();
    return tool.run(input, { id: 'toolu_1', signal, progress: () => {}, session, ...more });
  };
  return { manager, tools, notices: notices ?? [], said: said ?? [], folder, call };
}
