/** A session that was cut or rewritten: the state last seen is not the one with most in it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileStates, fullest } from '../../../src/archive/restore/versions.ts';
import { asArray, asString, at } from '../../../src/format/json.ts';
import { machine } from '../../support/inprocess.ts';
import { entry, FORK, fileNamed, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const AGENT = `${PLACE}/${SESSION}/subagents/agent-a1.jsonl`;
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((id) => entry(id, SESSION, `words of ${id}`));
const WHOLE = `${A}${B}${C}`;

function statesAfter(...states: string[]) {
  const root = rootOf({ [NAME]: '' });
  const archive = newArchive();
  for (const state of states) {
    writeFileSync(join(root, NAME), state);
    syncRoot(archive, root, { full: true });
  }
  return fileStates(archive.db, fileNamed(archive, NAME));
}

describe('the states of a file', () => {
  test('how many lines each has, and how many the current one has not', () => {
    const states = statesAfter(WHOLE, `${B}`, `${C}${D}`);
    expect(states).toMatchObject([
      { number: 1, bytes: WHOLE.length, lines: 3, extra: 2, current: false },
      { number: 2, lines: 1, extra: 1, current: false },
      { number: 3, lines: 2, extra: 0, current: true },
    ]);
    expect(fullest(states)?.number).toBe(1);
  });

  test('lines in another order, or with more between them, are the same lines', () => {
    expect(fullest(statesAfter(WHOLE, `${C}${A}${D}${B}`))).toBeUndefined();
    expect(fullest(statesAfter(`${A}${A}${B}`, `${B}${C}${A}`))).toBeUndefined();
  });

  test('a torn line is one', () => {
    expect(statesAfter(`${A}{"torn`, `${A}`)).toMatchObject([{ lines: 2, extra: 1 }, { lines: 1 }]);
  });

  test('a file that is as it was before is in that state', () => {
    expect(statesAfter(WHOLE, `${B}`, WHOLE)).toMatchObject([{ current: true, extra: 0 }, { extra: 0 }]);
  });
});

async function cut(files: Record<string, string> = { [NAME]: WHOLE }) {
  const { root, run, home } = machine(rootOf(files));
  await run('archive', 'sync');
  for (const name of Object.keys(files)) writeFileSync(join(root, name), `${A}`);
  await run('archive', 'sync');
  return { root, run, home };
}

describe('restore', () => {
  test('says which other state has more, and the command it prints gives it', async () => {
    const { root, run, home } = await cut();
    rmSync(join(root, NAME));
    const { code, text } = await run('archive', 'restore', '--all');
    const command = `skein archive restore ${SESSION} --version 1 --to DIR`;
    expect([code, text]).toEqual([0, expect.stringContaining(command)]);
    expect(text).toMatch(/more in .*version 1 \(\d+ B, .*\) has 2 lines that the last one has not/);
    expect(readFileSync(join(root, NAME), 'utf8')).toBe(A);
    await run(...command.split(' ').slice(1));
    expect(readFileSync(join(home, 'DIR', NAME), 'utf8')).toBe(WHOLE);
  });

  test('as json; and a named one that is there already', async () => {
    const { run } = await cut();
    const fuller = { version: 1, bytes: WHOLE.length, lines: 3, extra: 2, current: false, scrubbed: false };
    const json = (await run('archive', 'restore', SESSION, '--json')).json();
    expect(json).toMatchObject({ files: [{ outcome: 'same', fuller }] });
    expect((await run('archive', 'restore', SESSION)).text).toContain('more in');
    expect((await run('archive', 'restore', '--all')).text).not.toContain('more in');
    expect((await run('archive', 'restore', SESSION, '--version', '2')).text).not.toContain('more in');
  });

  test('an agent is named by its path, which gives it alone', async () => {
    const { root, run } = await cut({ [NAME]: `${A}`, [AGENT]: WHOLE });
    rmSync(join(root, AGENT));
    const { text } = await run('archive', 'restore', '--all');
    expect(text).toContain(`skein archive restore ${AGENT} --version 1 --to DIR`);
  });
});

describe('versions', () => {
  test('lists the states of what was chosen', async () => {
    const { run } = await cut({ [NAME]: WHOLE, [`${PLACE}/${FORK}.jsonl`]: `${A}` });
    const { code, text } = await run('archive', 'versions', SESSION);
    expect(code).toBe(0);
    expect(text.split('\n')).toEqual([
      expect.stringContaining(NAME),
      expect.stringMatching(/^ {3}1 .* B {2}3 lines, 2 of them not in the current version$/),
      expect.stringMatching(/^ {3}2 .* B {2}1 line, current$/),
      `  skein archive restore ${SESSION} --version N --to DIR`,
      '',
    ]);
    expect((await run('archive', 'versions', '--all')).text).toContain('1 more file in one version');
    expect((await run('archive', 'versions', FORK)).text).toBe('1 file in one version\n');
    expect((await run('archive', 'versions', SESSION, '--json')).json()).toMatchObject({
      files: [
        {
          kind: 'session',
          session: SESSION,
          versions: [
            { version: 1, lines: 3 },
            { version: 2, current: true },
          ],
        },
      ],
    });
  });
});

test('a hit that only an earlier state has comes with the command that gives it', async () => {
  const { run, home } = await cut();
  const hitOf = async (words: string) => asArray(at((await run('search', words, '--json')).json(), 'hits'))?.[0];
  const command = asString(at(await hitOf('"words of c"'), 'open')) ?? '';
  expect(command).toBe(`skein archive restore ${SESSION} --version 1 --to DIR`);
  expect((await run('search', '"words of c"')).text).toContain(command);
  expect((await run(...command.split(' ').slice(1))).code).toBe(0);
  expect(readFileSync(join(home, 'DIR', NAME), 'utf8')).toContain('words of c');
  expect(asString(at(await hitOf('"words of a"'), 'open'))).toBe(`skein show ${SESSION} --turn a`);
});

test('a hit that another session has now is shown there', async () => {
  const { root, run } = await cut();
  writeFileSync(join(root, PLACE, `${FORK}.jsonl`), WHOLE.replaceAll(SESSION, FORK));
  await run('archive', 'sync');
  const [hit] = asArray(at((await run('search', '"words of c"', '--json')).json(), 'hits')) ?? [];
  expect([at(hit, 'session'), at(hit, 'open')]).toEqual([FORK, `skein show ${FORK} --turn c`]);
});
