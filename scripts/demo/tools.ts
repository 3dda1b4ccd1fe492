/** Tool calls with inputs, results and structured results as each version writes them (E6). */
import type { Json, JsonObject } from '../../src/format/json.ts';
import type { Outcome, ToolCall } from './talk.ts';
import { CONFIG_HOME, projectFolder, type Writer } from './writer.ts';

export const BY_MODE: JsonObject = { permissionDecision: { decision: 'accept', source: 'config', reasonType: 'mode' } };
export const BY_USER: JsonObject = {
  permissionDecision: { decision: 'accept', source: 'user_temporary', grantScope: 'once', reasonCode: 'unknown' },
};

export interface BashOptions {
  readonly ms?: number;
  /** Fails with this exit code; the output is what it printed. */
  readonly exit?: number;
  /** Asked for and allowed, `ms` later. */
  readonly asked?: number;
  readonly result?: JsonObject;
}

export function bash(command: string, description: string, stdout: string, options: BashOptions = {}): ToolCall {
  const { ms = 350, exit, asked = 0 } = options;
  return {
    name: 'Bash',
    input: { command, description },
    serial: true,
    run: ({ w }) => {
      const fields = { sandboxed: false, ...(asked > 0 ? BY_USER : BY_MODE) };
      if (exit !== undefined) return failure(`Exit code ${exit}\n${stdout}`, { ms: ms + asked, fields });
      const result = { stdout, stderr: '', interrupted: false, isImage: false, ...newer(w), ...options.result };
      return { content: stdout, result, isError: false, ms: ms + asked, fields };
    },
  };
}

function newer(w: Writer): JsonObject {
  return w.version === '1.0.111' ? {} : { noOutputExpected: false };
}

/** An error is a plain string in `toolUseResult` (E6). */
export function failure(text: string, more: { ms: number; fields?: JsonObject; shown?: string }): Outcome {
  const content = more.shown ?? text;
  return { content, result: `Error: ${text}`, isError: true, ms: more.ms, fields: more.fields ?? {}, idFirst: false };
}

const PREVIEW = 2000;
const KEPT = 30_000;

/** A command whose output is too large for the transcript: it lies in `tool-results/` (L4). */
export function largeBash(command: string, description: string, stdout: string, ms: number): ToolCall {
  return {
    name: 'Bash',
    input: { command, description },
    serial: true,
    run: ({ w }) => {
      const path = `${projectFolder(w)}/${w.sessionId}/tool-results/${w.ids.task()}.txt`;
      w.root.files.set(path, stdout);
      const saved = `${CONFIG_HOME}/${path}`;
      const size = `${(Buffer.byteLength(stdout) / 1024).toFixed(1)}KB`;
      const preview = stdout.slice(0, stdout.lastIndexOf('\n', PREVIEW));
      const head = `Output too large (${size}). Full output saved to: ${saved}`;
      const content = `<persisted-output>\n${head}\n\nPreview (first 2KB):\n${preview}\n...\n</persisted-output>`;
      const flags = { stderr: '', interrupted: false, isImage: false, ...newer(w) };
      const persisted = { persistedOutputPath: saved, persistedOutputSize: Buffer.byteLength(stdout) };
      const result = { stdout: stdout.slice(0, KEPT), ...flags, ...persisted };
      return { content, result, isError: false, ms, fields: { sandboxed: false, ...BY_MODE } };
    },
  };
}

/** A search for lines, or for files when `files` is given. */
export function grep(input: JsonObject, found: { lines?: string[]; files?: string[] }): ToolCall {
  return {
    name: 'Grep',
    input,
    run: () => {
      if (found.files) {
        const content = [`Found ${found.files.length} files`, ...found.files].join('\n');
        const result = { mode: 'files_with_matches', filenames: found.files, numFiles: found.files.length };
        return { content, result, ms: 24 };
      }
      const lines = found.lines ?? [];
      const content = lines.join('\n');
      return {
        content,
        result: { mode: 'content', numFiles: 0, filenames: [], content, numLines: lines.length },
        ms: 31,
      };
    },
  };
}

export function glob(pattern: string, filenames: string[]): ToolCall {
  const result = { filenames, durationMs: 12, numFiles: filenames.length, truncated: false };
  return { name: 'Glob', input: { pattern }, run: () => ({ content: filenames.join('\n'), result, ms: 12 }) };
}

export type TodoStatus = 'pending' | 'in_progress' | 'completed';

/** A to-do list as [what, what while doing it, status]; the lists before and after stand in the result. */
export function createTodos(): (items: [string, string, TodoStatus][]) => ToolCall {
  let oldTodos: Json[] = [];
  const said =
    'Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress.' +
    ' Please proceed with the current tasks if applicable';
  return (items) => {
    const newTodos = items.map(([content, activeForm, status]) => ({ content, status, activeForm }));
    return {
      name: 'TodoWrite',
      input: { todos: newTodos },
      run: ({ w }) => {
        const result = { oldTodos, newTodos };
        oldTodos = newTodos;
        const name = `${w.sessionId}-agent-${w.sessionId}.json`;
        if (w.version === '1.0.111') w.root.files.set(`todos/${name}`, JSON.stringify(newTodos, null, 2));
        return { content: said, result, ms: 6 };
      },
    };
  };
}

export function webFetch(url: string, question: string, result: string, ms: number): ToolCall {
  const bytes = 18_000 + result.length * 7;
  return {
    name: 'WebFetch',
    input: { url, prompt: question },
    run: () => ({
      content: result,
      result: { bytes, code: 200, codeText: 'OK', result, durationMs: ms, url },
      ms,
      fields: BY_USER,
    }),
  };
}

export interface Question {
  readonly question: string;
  readonly header: string;
  /** Label and description. */
  readonly options: readonly (readonly [string, string])[];
}

/** A question to the person, answered `ms` later. */
export function ask(asked: Question, answer: string, ms: number): ToolCall {
  const { question, header } = asked;
  const options = asked.options.map(([label, description]) => ({ label, description }));
  const content = `Your questions have been answered: "${question}"="${answer}". You can now continue with these answers in mind.`;
  return {
    name: 'AskUserQuestion',
    input: { questions: [{ question, header, multiSelect: false, options }] },
    run: () => ({
      content,
      result: {
        questions: [{ question, header, options, multiSelect: false }],
        answers: { [question]: answer },
        annotations: {},
      },
      ms,
      fields: BY_USER,
      idFirst: false,
    }),
  };
}

/** A tool of an MCP server; its result is blocks on both sides. */
export function mcp(server: string, tool: string, input: JsonObject, text: string, ms: number): ToolCall {
  const content = [{ type: 'text', text }];
  return {
    name: `mcp__${server}__${tool}`,
    input,
    run: () => ({ content, result: content, ms, fields: BY_USER }),
  };
}

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the" +
  ' new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.';

/** The same call, refused by the person `ms` later. */
export function denied(call: ToolCall, ms: number): ToolCall {
  return {
    ...call,
    run: () => ({
      content: REJECTED,
      result: 'User rejected tool use',
      isError: true,
      ms,
      fields: { toolDenialKind: 'user-rejected' },
      idFirst: false,
    }),
  };
}
