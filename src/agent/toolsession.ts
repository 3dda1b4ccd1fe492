/** What tools have around them in one session, and what has to be known of the transcript for it. */
import { asArray, asObject, asString, isObject, type JsonObject } from '../format/json.ts';
import { createFileHistory, type FileHistory } from './history/history.ts';
import type { History } from './history/plan.ts';
import type { Transcript } from './ports.ts';
import { createNested, type Nested } from './prompt/nested.ts';
import { createFileMemory } from './tools/files/memory.ts';
import { createShells } from './tools/shell/shells.ts';
import type { Sandbox } from './tools/shell/types.ts';
import { createSpill } from './tools/spill.ts';
import type { ToolSession } from './tools/tool.ts';

export interface ToolSessionOptions {
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  readonly env: ToolSession['env'];
  readonly folders: readonly string[];
  /** Whose instructions count; everybody's without it. */
  readonly sources?: readonly string[];
  readonly transcript: Transcript;
  /** What a session that is gone on with has kept. */
  readonly history: History;
  readonly sandbox?: Sandbox | undefined;
  readonly say: (words: string) => void;
}

export interface OpenToolSession {
  readonly session: ToolSession;
  /** Told of every line of the transcript. */
  saw(entry: JsonObject): void;
  close(): Promise<void>;
}

/** As in the published client. */
const LIMITS = { bashTimeoutMs: 120_000, bashMaxTimeoutMs: 600_000, outputChars: 30_000 };

export function createToolSession(options: ToolSessionOptions): OpenToolSession {
  const { cwd, env, folders, transcript } = options;
  const shells = createShells();
  const fileHistory = historyBySession(options);
  /** The entries of the calls on their way. */
  const calls = new Map<string, string>();
  /** Agents are told for themselves. */
  let nested = new WeakMap<ToolSession, Nested>();
  const nestedOf = (reader: ToolSession): Nested => {
    const made = nested.get(reader) ?? createNested(options, (path) => session.hides?.(path) === true);
    nested.set(reader, made);
    return made;
  };
  const session: ToolSession = {
    cwd,
    root: cwd,
    folders,
    env,
    files: createFileMemory(),
    shells,
    todos: [],
    instructionsFor: (path, reader) => nestedOf(reader)(path),
    ...(options.sandbox && { sandbox: options.sandbox }),
    spill: (id, text) => createSpill({ folder: transcript.file.replace(/\.jsonl$/, '') })(id, text),
    backup: (path, id) => fileHistory().backup(path, calls.get(id) ?? id),
    limits: { ...LIMITS, privateAddresses: env.SKEIN_ALLOW_PRIVATE_ADDRESSES === '1' },
  };
  return {
    session,
    saw: (entry) => {
      const uuid = asString(entry.uuid) ?? '';
      if (entry.subtype === 'compact_boundary') nested = new WeakMap();
      for (const block of asArray(asObject(entry.message)?.content)?.filter(isObject) ?? []) {
        if (block.type === 'tool_use') calls.set(asString(block.id) ?? '', uuid);
        else if (block.type === 'tool_result') calls.delete(asString(block.tool_use_id) ?? '');
      }
      // What a person said begins a turn: files are kept as they are now.
      if (entry.type === 'user' && entry.turnOrigin !== undefined) fileHistory().beforePrompt(uuid);
    },
    close: () => shells.close(),
  };
}

/** A session that becomes a fork keeps its copies apart from there on. */
function historyBySession({ config, cwd, transcript, history, say }: ToolSessionOptions): () => FileHistory {
  let made: { readonly sessionId: string; readonly files: FileHistory } | undefined;
  return () => {
    const { sessionId } = transcript;
    if (made?.sessionId !== sessionId) {
      const options = { config, sessionId, root: cwd, line: transcript.line.bind(transcript), say };
      made = { sessionId, files: createFileHistory(made === undefined ? { ...options, history } : options) };
    }
    return made.files;
  };
}
