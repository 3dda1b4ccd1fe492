/** What the command line says of a team without asking it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/arguments.ts';
import { list } from '../../src/cli/commands/list.ts';
import type { Context } from '../../src/cli/context.ts';
import { loadStore, placeFlag } from '../../src/cli/shelf.ts';
import { tempFolder } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';

test('a status line is of no team: it says so in its one line, and ends well', async () => {
  for (const team of ['nowhere', 'http://127.0.0.1:1', 'ftp://x']) {
    const { code, text, err } = await runHere(['usage', '--statusline', '--team', team], { HOME: tempFolder() });
    expect([code, err]).toEqual([0, '']);
    expect(text).toMatch(/^skein: .*leave --team out\n$/);
  }
});

test('commands that are offered name the team as a shell takes it', async () => {
  const home = tempFolder();
  const env = { SKEIN_HOME: join(home, 'kept') };
  mkdirSync(env.SKEIN_HOME);
  const url = 'http://127.0.0.1:1';
  const profiles = { work: { url }, 'my team': { url }, "o'clock": { url } };
  writeFileSync(join(env.SKEIN_HOME, 'team.json'), JSON.stringify({ profiles }));
  const context: Pick<Context, 'env' | 'home' | 'cwd'> = { env, home, cwd: home };
  const flagOf = async (team: string) => {
    await loadStore(context as Context, parseArguments(list, ['--team', team]));
    return placeFlag();
  };
  expect(await flagOf('work')).toBe(' --team work');
  expect(await flagOf('my team')).toBe(" --team 'my team'");
  expect(await flagOf("o'clock")).toBe(" --team 'o'\\''clock'");
  expect(await flagOf('http://a:b@127.0.0.1:1')).toBe(' --team http://127.0.0.1:1/skein');
  expect(await flagOf('http://[::1]:1')).toBe(" --team 'http://[::1]:1/skein'");
});
