/** What bash itself would run: every command it looks for, with its arguments, in a place where there is no program at all. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The texts may hold no `/`: then nothing outside the folder can be named. */
export function commandsRun(texts: readonly string[]): string[][][] {
  const folder = mkdtempSync(join(tmpdir(), 'skein-shell-'));
  try {
    const script = texts.map((text, i) => runOne(folder, text, i)).join('\n');
    writeFileSync(join(folder, 'all.sh'), script);
    spawnSync('/bin/bash', ['--norc', join(folder, 'all.sh')], {
      env: { PATH: '/nonexistent', FUNCNEST: '20', LC_ALL: 'C.UTF-8' },
      stdio: 'ignore',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    return texts.map((_, i) => readCommands(join(folder, `log${i}`)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each in a shell of its own, that stops after a second of work or a few loops. */
function runOne(folder: string, text: string, i: number): string {
  if (text.includes('/')) throw new Error(`no paths: ${text}`);
  mkdirSync(join(folder, `d${i}`));
  mkdirSync(join(folder, `log${i}`));
  writeFileSync(join(folder, `text${i}`), text);
  const handler = `command_not_found_handle() { printf '%s\\0' "$@" $'\\001' >> ${folder}/log${i}/$BASHPID; return 1; }`;
  return `( cd ${folder}/d${i}; ulimit -t 1 -f 1000; ${handler}; eval " $(< ${folder}/text${i})" ) < /dev/null`;
}

/** Words end with a zero, commands with a word that is \x01. Each process has its own file: both sides of a pipe run at once. */
function readCommands(folder: string): string[][] {
  return readdirSync(folder).flatMap((name) => {
    const commands = readFileSync(join(folder, name), 'utf8').split('\x01\0');
    return commands.filter((words) => words !== '').map((words) => words.split('\0').slice(0, -1));
  });
}
