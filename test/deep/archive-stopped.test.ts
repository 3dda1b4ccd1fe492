/** Verbs of the archive stopped or killed at random moments: what they leave is whole, and done again they finish. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allFiles, versionsOf } from '../../src/archive/files.ts';
import { bytesOfVersion } from '../../src/archive/pieces/read.ts';
import { archiveIn, contentOf, entry, faultsOf } from '../archive/helpers.ts';
import { tempFolder } from '../support/files.ts';
import { type Ran, skein, startSkein } from '../support/skein.ts';

const GENERATOR = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));
const random = (least: number, most: number) => least + Math.random() * (most - least);
/** Put together here, so that no scanner takes this file for a leak. */
const token = (n: number) => `ghp_${String(n).padEnd(36, 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY')}`;

function machine(megabytes: number, seed: number) {
  const folder = tempFolder();
  const args = ['--out', folder, '--mb', String(megabytes), '--seed', String(seed), '--files', String(megabytes * 2)];
  execFileSync(process.execPath, [GENERATOR, ...args], { stdio: 'ignore' });
  const root = join(folder, '.claude');
  const home = tempFolder();
  const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'kept') };
  return { root, home, env, archive: (...words: string[]) => skein(['archive', ...words], { env, home }) };
}

async function stopAfter(started: ChildProcess, ms: number, signal: 'SIGINT' | 'SIGKILL'): Promise<number | null> {
  await Promise.race([sleep(ms), once(started, 'exit')]);
  if (started.exitCode === null && started.signalCode === null) {
    started.kill(signal);
    await once(started, 'exit');
  }
  return started.exitCode;
}

function finished({ code, err, text }: Ran): void {
  expect([code, err, text]).toEqual([0, '', expect.anything()]);
}

test('scrub killed at random moments: each line is masked or as it was, the archive whole; done again no secret is left', async () => {
  const { root, home, env, archive } = machine(20, 21);
  const names = [...contentOf(root).keys()].filter((name) => name.endsWith('.jsonl'));
  for (const [n, name] of names.entries()) {
    if (n % 3 === 0) appendFileSync(join(root, name), entry(`s${n}`, undefined, `use ${token(n)} here`));
  }
  archive('sync');
  let killed = 0;
  let longest = 3000;
  for (let round = 0; round < 12; round += 1) {
    const code = await stopAfter(
      startSkein(['archive', 'scrub', '--all'], { env, home }),
      random(100, longest),
      'SIGKILL',
    );
    if (code === null) killed += 1;
    // Done before it was killed: a faster machine, or little was left to do.
    else longest = Math.max(200, longest * 0.6);
    const kept = archiveIn(env.SKEIN_HOME);
    expect(faultsOf(kept)).toEqual([]);
    kept.close();
    // Nothing comes back, nothing is taken twice.
    expect(archive('sync', '--json').json()).toMatchObject({ added: 0, appended: 0, rewritten: 0 });
  }
  console.log(`killed at work: ${killed} of 12`);
  expect(killed).toBeGreaterThan(3);
  finished(archive('scrub', '--all'));
  const kept = archiveIn(env.SKEIN_HOME);
  expect(faultsOf(kept)).toEqual([]);
  for (const { id } of allFiles(kept.db)) {
    for (const version of versionsOf(kept.db, id)) {
      for (const bytes of bytesOfVersion(kept.db, version)) expect(bytes.includes('ghp_')).toBe(false);
    }
  }
});

test('Ctrl-C ends verify, restore, import, export, scrub and rebuild soon; nothing half is left', async () => {
  const { home, env, archive } = machine(60, 22);
  archive('sync');
  const file = join(home, 'export.db');
  archive('export', file);
  const two = { ...env, SKEIN_HOME: join(home, 'two') };
  const to = join(home, 'back');
  mkdirSync(to);
  const works: [string[], Record<string, string>][] = [
    [['verify'], env],
    [['restore', '--all', '--to', to], env],
    [['import', file], two],
    [['scrub', '--all'], env],
    [['rebuild'], env],
    [['export', join(home, 'other.db')], env],
  ];
  for (const [words, environment] of works) {
    const started = startSkein(['archive', ...words], { env: environment, home });
    const code = await stopAfter(started, 500, 'SIGINT');
    // 130 where it was heard by us, none where the system ended it; 0 where it was done before.
    expect([130, null, 0]).toContain(code);
  }
  for (const folder of [env.SKEIN_HOME, two.SKEIN_HOME]) {
    const kept = archiveIn(folder);
    expect(faultsOf(kept)).toEqual([]);
    kept.close();
  }
  expect(readdirSync(to, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  const sizes = new Map([...contentOf(env.CLAUDE_CONFIG_DIR)].map(([name, { bytes }]) => [name, bytes.length]));
  for (const [name, { bytes }] of contentOf(to)) expect(bytes.length).toBe(sizes.get(name));
  finished(skein(['archive', 'import', file], { env: two, home }));
  finished(archive('sync'));
});
