/** The console in a terminal of its own, against a scripted model. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { transcriptsBelow } from './files.ts';
import { type Script, type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { BIN } from './skein.ts';
import { openTmux, type Tmux } from './tmux.ts';

interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ConsoleWorld {
  readonly model: ScriptedModel;
  readonly home: string;
  readonly cwd: string;
  readonly config: string;
  sessions(): string[];
  open(args?: readonly string[], size?: WindowSize, env?: Readonly<Record<string, string>>): Tmux;
  /** Any verb, or none. */
  run(argv: readonly string[], size?: WindowSize, env?: Readonly<Record<string, string>>): Tmux;
  /** Without what differs from run to run. */
  plain(screen: string): string;
}

export async function consoleWith(script: Script, place: ConsolePlace = newPlace()): Promise<ConsoleWorld> {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const { root, home, cwd, config } = place;
  const run: ConsoleWorld['run'] = (argv, size = { columns: 80, rows: 24 }, env = {}) =>
    openTmux({
      command: [process.execPath, BIN, ...argv],
      cwd,
      ...size,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        CLAUDE_CONFIG_DIR: config,
        SKEIN_HOME: join(home, 'kept'),
        TZ: 'UTC',
        CLAUDE_CODE_MAX_RETRIES: '1',
        ...model.env,
        ...env,
      },
    });
  return {
    model,
    home,
    cwd,
    config,
    sessions: () => transcriptsBelow(join(config, 'projects')),
    open: (args = [], size, env) => run(['chat', ...args], size, env),
    run,
    plain: (screen) => plain(screen, root),
  };
}

/** Where it runs; the folders are there. */
export interface ConsolePlace {
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
  readonly config: string;
}

function newPlace(): ConsolePlace {
  // Of one length everywhere: what is broken at the width must not depend on it.
  const root = realpathSync(mkdtempSync('/tmp/skein-test-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, cwd] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [home, cwd]) mkdirSync(folder);
  return { root, home, cwd, config: join(home, '.claude') };
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

function plain(screen: string, root: string): string {
  const text = screen
    .replaceAll(root, '/tmp/root')
    .replace(UUID, 'UUID')
    .replace(/Skein \d+\.\d+\.\d+/, 'Skein 0.0.0')
    .replace(/\b(?:\d+ ms|\d+(?:\.\d)? s)\b/g, '0 s')
    .replace(/\b(?:just now|\d+ (?:min|h|d) ago)\b/g, 'just now');
  return `${text}\n`;
}
