import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { io } from '../../src/disk/io.ts';
import { learnEarlier } from '../../src/export/otlp/learn.ts';
import { openLearnt } from '../../src/export/otlp/learnt.ts';
import { deliverSession } from '../../src/export/otlp/session.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { deliveryTo, SPANS } from '../support/growing.ts';
import { runHere } from '../support/inprocess.ts';
import { startReceiver } from '../support/receiver.ts';
import { machineWith, SPANS_A_TURN, turnLines } from '../support/traced.ts';

const SECRET = 'Xk7-pq9Zt2mVw4Lr';
const GIVEN_AWAY = `the "password": "${SECRET}"`;

/** What a mask that has seen these lines of a session makes of a text that only repeats the secret. */
function maskedAfter(texts: readonly string[]): string {
  const file = join(tempFolder(), 's.jsonl');
  const content = texts.map((text) => `${JSON.stringify({ type: 'user', message: { content: text } })}\n`).join('');
  writeFileSync(file, content);
  const masker = createMasker();
  learnEarlier([{ file, to: Buffer.byteLength(content) }], (text) => masker.mask(text));
  return masker.mask(`it was ${SECRET} again`);
}

const plain = (count: number) =>
  Array.from({ length: count }, (_, place) => `${place} ${'of no interest '.repeat(60)}`);

test.each([
  ['first of many', [GIVEN_AWAY, ...plain(100)]],
  ['somewhere in the middle', [...plain(70), GIVEN_AWAY, ...plain(30)]],
  ['last of many', [...plain(100), GIVEN_AWAY]],
  ['only one', [GIVEN_AWAY]],
  [
    'in a line longer than what is looked at together',
    [`${'word '.repeat(20_000)}${GIVEN_AWAY}${' word'.repeat(2000)}`],
  ],
])('a secret that an earlier line gave away is masked later: %s', (_, texts) => {
  expect(maskedAfter(texts)).not.toContain(SECRET);
});

test('nothing is learnt where nothing was given away', () => {
  expect(maskedAfter(plain(100))).toContain(SECRET);
});

describe('a session that goes on, hook after hook', () => {
  const lineOf = (text: string) => `${JSON.stringify({ type: 'user', message: { content: text } })}\n`;
  const PLAIN = plain(100).map(lineOf).join('');

  /** Each call is a process of its own: what it says of the secret, and the bytes it read for that. */
  function session() {
    const folder = tempFolder();
    const file = join(folder, 's.jsonl');
    const kept = join(folder, 'learnt');
    const hook = ({ to = statSync(file).size, rules = '1' } = {}) => {
      const masker = createMasker();
      const before = io.bytesRead;
      learnEarlier([{ file, to }], (text) => masker.mask(text), openLearnt(kept, rules));
      return { said: masker.mask(`it was ${SECRET} again`), read: io.bytesRead - before };
    };
    const keptText = () => readdirSync(kept).map((name) => readFileSync(join(kept, name), 'utf8'));
    return { file, kept, hook, keptText };
  }

  test('only the places that told something and what is new are read again', () => {
    const { file, hook, keptText } = session();
    writeFileSync(file, PLAIN + lineOf(GIVEN_AWAY) + PLAIN.repeat(8));
    const size = statSync(file).size;
    expect(hook()).toEqual({ said: expect.not.stringContaining(SECRET), read: size });
    for (let turn = 1; turn <= 3; turn += 1) {
      appendFileSync(file, lineOf('one more'));
      const { said, read } = hook();
      expect(said).not.toContain(SECRET);
      expect(read).toBeLessThan(50_000);
    }
    expect(keptText().length).toBe(1);
    expect(keptText().join()).not.toContain(SECRET);
  });

  test('where nothing was found only what is new is read', () => {
    const { file, hook } = session();
    writeFileSync(file, PLAIN);
    hook();
    appendFileSync(file, lineOf(GIVEN_AWAY));
    const { said, read } = hook();
    expect(said).not.toContain(SECRET);
    expect(read).toBeLessThan(500);
  });

  test('what came since was not kept yet is looked through again', () => {
    const { file, hook } = session();
    writeFileSync(file, PLAIN);
    hook();
    appendFileSync(file, lineOf(GIVEN_AWAY));
    hook();
    appendFileSync(file, PLAIN);
    expect(hook().said).not.toContain(SECRET);
    expect(hook().said).not.toContain(SECRET);
  });

  test.each<[string, (file: string, kept: string) => void, string]>([
    ['written anew', (file) => writeFileSync(file, PLAIN.replaceAll('of no', 'of  no')), '1'],
    ['made shorter', (file) => writeFileSync(file, PLAIN.slice(0, PLAIN.length / 2)), '1'],
    ['looked at by other rules', () => {}, '2'],
    ['kept in half', (_, kept) => cut(kept, 20), '1'],
    ['kept as nothing', (_, kept) => cut(kept, 0), '1'],
  ])('everything is looked through where the file was %s', (_, change, rules) => {
    const { file, kept, hook } = session();
    writeFileSync(file, PLAIN);
    hook();
    change(file, kept);
    expect(hook({ rules }).read).toBeGreaterThanOrEqual(statSync(file).size);
  });

  function cut(folder: string, length: number): void {
    for (const name of readdirSync(folder)) truncateSync(join(folder, name), length);
  }

  test('what is sent begins further up than before, in the middle of a place that told something', () => {
    const { file, hook } = session();
    const start = PLAIN + lineOf(GIVEN_AWAY);
    writeFileSync(file, start + PLAIN);
    hook();
    expect(hook({ to: start.length }).said).not.toContain(SECRET);
    expect(hook({ to: PLAIN.length }).said).toContain(SECRET);
  });

  test('a folder that cannot be written to: as if nothing had been kept', () => {
    const { file, kept, hook } = session();
    writeFileSync(kept, 'in the way');
    writeFileSync(file, lineOf(GIVEN_AWAY) + PLAIN);
    for (let run = 0; run < 2; run += 1)
      expect(hook()).toEqual({ said: expect.not.stringContaining(SECRET), read: statSync(file).size });
  });
});

describe('a branch and a folder that are a secret which only a text gives away, sent with --no-content', () => {
  const names = { gitBranch: SECRET, cwd: `/work/${SECRET}` };
  const linesWith = (turns: number) =>
    toJsonl(
      turnLines('a', 1, turns).map((line, place) => ({ ...line, ...names, ...(place === 4 && user(GIVEN_AWAY)) })),
    );

  test('are masked by an export, and where it only shows what it would send', async () => {
    const server = await startReceiver();
    const machine = machineWith({}, server.url);
    writeFileSync(machine.fileOf('a'), linesWith(3));
    const exported = (...more: string[]) => runHere(['export', 'langfuse', 'a', '--no-content', ...more], machine.env);
    for (const how of [[], ['--json']]) expect((await exported('--dry-run', ...how)).text).not.toContain(SECRET);
    await exported();
    expect(server.arrived()).toBe(3 * SPANS_A_TURN);
    expect(JSON.stringify(server.requests)).not.toContain(SECRET);
    await exported('--again', '--reveal');
    expect(JSON.stringify(server.requests)).toContain(SECRET);
  });

  test('are masked by a hook, also when the text was sent long before', async () => {
    const server = await startReceiver();
    const { fileOf, home } = machineWith({}, server.url);
    const delivery = deliveryTo(server.url, home, { holding: { content: false } });
    for (const turns of [2, 9, 10]) {
      writeFileSync(fileOf('a'), linesWith(turns));
      const masker = createMasker();
      const spans = { ...SPANS, content: false, mask: masker.mask };
      expect((await deliverSession({ file: fileOf('a') }, spans, delivery)).turns).toBeGreaterThan(0);
    }
    expect(server.arrived()).toBe(10 * SPANS_A_TURN);
    expect(JSON.stringify(server.requests)).not.toContain(SECRET);
  });
});
