/** Sessions for the browser, written as the client would. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { assistant, chain, result, text, timeOf, toJsonl, toolResult, toolUse, user } from '../support/build.ts';

const CWD = '/work/app';

export interface SessionSet {
  readonly root: string;
  /** The file of a session. */
  file(id: string): string;
  write(id: string, lines: readonly JsonObject[]): void;
}

/** A config root that is gone when the tests of the file are. */
export function sessionSet(sessions: Readonly<Record<string, readonly JsonObject[]>> = {}): SessionSet {
  const root = mkdtempSync(join(tmpdir(), 'skein-set-'));
  const project = join(root, 'projects', projectSlug(CWD));
  mkdirSync(project, { recursive: true });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const file = (id: string) => join(project, `${id}.jsonl`);
  const write = (id: string, lines: readonly JsonObject[]) => writeFileSync(file(id), toJsonl(lines));
  for (const [id, lines] of Object.entries(sessions)) write(id, lines);
  return { root, file, write };
}

/** The id of a session, as the client makes them; entries have `entryId`. */
export function idOf(session: number): string {
  return `${session.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

/** `chain` with real ids: entry n of session s is `entryId(s, n)`. */
export function sessionLines(session: number, lines: readonly JsonObject[], cwd = CWD): JsonObject[] {
  const known = new Map<string, string>();
  const rename = (value: unknown) => (typeof value === 'string' ? (known.get(value) ?? value) : null);
  return chain(lines, { sessionId: idOf(session), cwd, gitBranch: 'main' }).map((line, place) => {
    const uuid = entryId(session, place + 1);
    if (typeof line.uuid === 'string') known.set(line.uuid, uuid);
    return {
      ...line,
      ...(typeof line.uuid === 'string' && { uuid }),
      ...('parentUuid' in line && { parentUuid: rename(line.parentUuid) }),
    };
  });
}

export function entryId(session: number, entry: number): string {
  return `${session.toString(16).padStart(8, '0')}-0000-4000-8001-${entry.toString(16).padStart(12, '0')}`;
}

export interface Exchange {
  readonly prompt: string;
  readonly answer: string;
  /** A command that ran before the answer. */
  readonly bash?: { readonly command: string; readonly output: string; readonly failed?: boolean };
}

export interface ChatToWrite {
  readonly number: number;
  readonly cwd?: string;
  readonly started?: string;
  readonly model?: string;
  /** As clients did that wrote down no output (E17). */
  readonly unrecorded?: boolean;
  readonly exchanges: readonly Exchange[];
}

/** Its file. */
export function writeChat(root: string, chat: ChatToWrite): string {
  const folder = join(root, 'projects', projectSlug(chat.cwd ?? CWD));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${idOf(chat.number)}.jsonl`);
  writeFileSync(file, toJsonl(chatLines(chat)));
  return file;
}

/** One second apart. */
function chatLines({ number, cwd, started = timeOf(0), model, unrecorded = false, exchanges }: ChatToWrite) {
  const lines = exchanges.flatMap(({ prompt, answer, bash }, index) => {
    const message = (id: string) => ({
      id: `msg_${number}_${index}_${id}`,
      requestId: `req_${number}_${index}_${id}`,
      model: model ?? 'claude-sonnet-4-5-20250929',
      output: unrecorded ? 1 : 200,
      ...(unrecorded && { stop: null }),
    });
    const call = `toolu_${number}_${index}`;
    const called = bash && [
      assistant(toolUse(call, 'Bash', { command: bash.command }), { ...message('call'), stop: 'tool_use' }),
      user([toolResult(call, bash.output, bash.failed)]),
    ];
    return [user(prompt), ...(called ?? []), assistant([text(answer)], message('answer'))];
  });
  return sessionLines(number, lines, cwd).map((line, place) => ({
    ...line,
    timestamp: new Date(Date.parse(started) + place * 1000).toISOString(),
  }));
}

/** Turns of a prompt, a Bash call and an answer each: four lines a turn. */
export function longSession(
  session: number,
  turns: number,
  sizeOf: (turn: number) => number = () => 200,
): JsonObject[] {
  const lines: JsonObject[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const words = `answer ${turn} ${'lorem ipsum dolor sit amet '.repeat(Math.ceil(sizeOf(turn) / 27))}`;
    lines.push(
      user(`prompt ${turn}: what about number ${turn}?`),
      assistant([text('I look.'), toolUse(`toolu_${turn}`, 'Bash', { command: `echo ${turn}` })], {
        id: `msg_${turn}_a`,
        stop: 'tool_use',
      }),
      result(`toolu_${turn}`, `${turn}\n`, {
        toolUseResult: { stdout: `${turn}\n`, stderr: '', interrupted: false, isImage: false },
      }),
      assistant(words, { id: `msg_${turn}_b` }),
    );
  }
  return sessionLines(session, lines).map((line, place) => ({ ...line, timestamp: timeOf(place) }));
}
