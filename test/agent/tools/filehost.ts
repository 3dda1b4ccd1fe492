/** A session around the file tools, in a temporary folder of its own. */
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFileMemory } from '../../../src/agent/tools/files/memory.ts';
import { createShells } from '../../../src/agent/tools/shell/shells.ts';
import type { Tool, ToolHost, ToolOutcome, ToolSession } from '../../../src/agent/tools/tool.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { toToolResult } from '../../../src/graph/toolresults/read.ts';
import { tempFolder } from '../../support/files.ts';

export function fileHost() {
  const cwd = realpathSync(tempFolder());
  const backups: string[] = [];
  const controller = new AbortController();
  const session: ToolSession = {
    cwd,
    root: cwd,
    folders: [],
    env: {},
    files: createFileMemory(),
    shells: createShells(),
    todos: [],
    spill: () => '',
    // Before the change: what it holds now is what is kept.
    backup: (path) =>
      backups.push(`${path}: ${statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, 'utf8') : 'none'}`),
    limits: { bashTimeoutMs: 1000, bashMaxTimeoutMs: 1000, outputChars: 30_000, privateAddresses: false },
  };
  const host: ToolHost = { id: 'toolu_1', signal: controller.signal, progress: () => {}, session };
  const at = (name: string) => join(cwd, name);
  return {
    cwd,
    session,
    host,
    backups,
    at,
    abort: () => controller.abort(),
    put(name: string, content: string | Uint8Array) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
      return at(name);
    },
    get: (name: string) => readFileSync(at(name), 'utf8'),
    bytes: (name: string) => readFileSync(at(name)),
    run: (tool: Tool, input: JsonObject): Promise<ToolOutcome> => tool.run(input, host),
  };
}

/** The text the model gets. */
export function told({ content }: ToolOutcome): string {
  return typeof content === 'string' ? content : content.map((block) => String(block.text ?? block.type)).join('\n');
}

/** The result as the reader of transcripts types it. */
export function typed(tool: Tool, { result }: ToolOutcome) {
  return toToolResult(tool.name, result);
}
