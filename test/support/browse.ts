/** The screen of all chats without a terminal: the demo's chats, keys in, lines out. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Look } from '../../src/cli/browse/look.ts';
import { reduce } from '../../src/cli/browse/reduce.ts';
import { type Effect, type Event, initialState, type Size, type State } from '../../src/cli/browse/state.ts';
import { frameOf } from '../../src/cli/browse/view.ts';
import { type ListedChat, listChats } from '../../src/cli/chats.ts';
import type { Context } from '../../src/cli/context.ts';
import { type Library, lookAt } from '../../src/cli/library.ts';
import { lookOf, openTerminal } from '../../src/cli/terminal.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { assistant, transcript, user } from './transcript.ts';

const DEMO = fileURLToPath(new URL('../../demo', import.meta.url));
const NOW = new Date('2026-11-15T12:00:00Z');

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

export function demoChats(): { context: Context; library: Library; chats: ListedChat[] } {
  const env = {};
  const terminal = () => openTerminal(nowhere(), { isTerminal: false, color: 'never', env });
  const context: Context = {
    env,
    home: '/home/ada',
    cwd: '/',
    now: () => NOW,
    out: terminal(),
    err: terminal(),
    signal: new AbortController().signal,
  };
  const library = lookAt(context, [DEMO]);
  // When the files were written differs from clone to clone.
  const chats = listChats(context, library).map((chat) => ({
    ...chat,
    files: chat.files.map((file) => ({ ...file, mtimeMs: 0 })),
  }));
  return { context, library, chats };
}

export function lookWith(more: Partial<Look> = {}): Look {
  const { style } = lookOf({ isTerminal: false, color: 'never', env: {} });
  return { style, now: NOW, home: '/home/ada', mask: (text) => text, isKept: () => false, ...more };
}

export interface Browser {
  readonly state: State;
  readonly effects: readonly Effect[];
  /** By name: `enter`, `ctrl+f`; else as text. The effects are those of the last, without previews. */
  press(...keys: readonly string[]): readonly Effect[];
  type(text: string): void;
  tell(event: Event): readonly Effect[];
  screen(look?: Look): string;
}

const NAMED = /^(?:enter|escape|tab|up|down|left|home|end|pageUp|pageDown|space|backspace|ctrl\+\w|paste)$/;

export function browserOf(chats: readonly ListedChat[], size: Size): Browser {
  let state = initialState({ chats, isDemo: false, size, project: undefined, now: NOW.getTime() });
  let effects: readonly Effect[] = [];
  const tell = (event: Event) => {
    ({ state, effects } = reduce(state, event));
    return asked();
  };
  const asked = () => effects.filter(({ kind }) => kind !== 'preview');
  const press = (...keys: readonly string[]) => {
    for (const key of keys) tell({ kind: 'key', key, text: NAMED.test(key) ? (key === 'space' ? ' ' : '') : key });
    return asked();
  };
  return {
    get state() {
      return state;
    },
    get effects() {
      return effects;
    },
    press,
    type: (text) => void press(...text),
    tell,
    screen: (look = lookWith()) =>
      `${frameOf(state, look)
        .lines.map((line) => line.trimEnd())
        .join('\n')}\n`,
  };
}

/** Sessions of the folder a console works in, one file each: a prompt and its answer. */
export function putSessions(
  world: { readonly config: string; readonly cwd: string },
  prompts: readonly string[],
): void {
  const folder = join(world.config, 'projects', projectSlug(world.cwd));
  mkdirSync(folder, { recursive: true });
  for (const [i, prompt] of prompts.entries()) {
    const sessionId = randomUUID();
    const rest = { sessionId, cwd: world.cwd, version: '2.1.325', gitBranch: 'main', isSidechain: false };
    const at = i * 10;
    const lines = [user(at + 1, null, prompt, rest), assistant(at + 2, at + 1, `m${i}`, `Answer ${i}.`, rest)];
    writeFileSync(join(folder, `${sessionId}.jsonl`), transcript(lines));
  }
}
