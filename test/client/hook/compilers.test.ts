import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { holdForSending } from '../../../src/client/hook/compilers.ts';
import type { Destination } from '../../../src/client/hook/delivery.ts';
import { hookPlaces } from '../../../src/client/hook/place.ts';
import { runHook } from '../../../src/client/hook/run.ts';
import { tempFolder } from '../../support/files.ts';

const SESSION = 'aaaaaaaa-0000-4000-8000-000000000001';

afterEach(() => vi.restoreAllMocks());

test('every compiler that is held is let go again', () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => {});
  const release = holdForSending('http://localhost:4318');
  const held = set.mock.calls.map(([flag]) => flag);
  release();
  const freed = set.mock.calls.slice(held.length).map(([flag]) => flag);
  expect(held).toEqual(['--no-sparkplug', '--no-maglev', '--no-turbofan']);
  expect(freed).toEqual(held.map((flag) => flag.replace('--no-', '--')));
});

test('for https nothing is loaded or held', () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => {});
  const load = vi.spyOn(process, 'getBuiltinModule');
  holdForSending('https://cloud.langfuse.com')();
  expect([set.mock.calls, load.mock.calls]).toEqual([[], []]);
});

describe('nothing is compiled while one turn is sent, and everything as ever when there is more', () => {
  /** A session of so many bytes, known up to so many; when it was sent and when compilers were let go, in their order. */
  async function happened(known: number, bytes: number): Promise<string[]> {
    const home = tempFolder();
    const transcript = join(home, 'projects', '-p', `${SESSION}.jsonl`);
    mkdirSync(join(transcript, '..'), { recursive: true });
    const steps: string[] = [];
    const sent = { turns: 1, spans: 1, open: 0, agents: [], again: false, stuck: false, copied: false };
    const destination: Destination = {
      name: 'otlp',
      backlog: () => 1,
      send: async () => {
        steps.push('sent');
        return sent;
      },
    };
    const world = {
      places: hookPlaces(join(home, 'skein')),
      home,
      now: Date.now,
      destinations: async () => [destination],
      release: () => steps.push('released'),
      report: () => {},
    };
    const limits = { deadline: Date.now() + 60_000, signal: new AbortController().signal };
    const run = () =>
      runHook({ event: 'Stop', sessionId: SESSION, transcript }, { archive: false, waitMs: 0 }, world, limits);
    const line = `${JSON.stringify({ type: 'user', uuid: 'u', sessionId: SESSION, message: { content: 'x' } })}\n`;
    const lines = (size: number) => line.repeat(Math.ceil(size / line.length));
    writeFileSync(transcript, lines(known));
    if (known > 0) await run();
    steps.length = 0;
    appendFileSync(transcript, lines(bytes - known));
    await run();
    return steps;
  }

  test.each([
    ['a turn of a session that is known', 500_000, 510_000, ['sent', 'released']],
    ['the first turn of one', 0, 10_000, ['sent', 'released']],
    ['one that is large and new', 0, 500_000, ['released', 'sent', 'released']],
    ['one that grew much', 500_000, 900_000, ['released', 'sent', 'released']],
    ['a turn of a very long one', 9 << 20, (9 << 20) + 1000, ['released', 'sent', 'released']],
  ])('%s', async (_, known, bytes, steps) => {
    expect(await happened(known, bytes)).toEqual(steps);
  });
});
