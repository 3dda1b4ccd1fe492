/** Slims, compressions and repairs, resumed by the published clients: neither is refused, and the history sent equals ours. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Draft } from '../../src/edit/log.ts';
import { BUDGET_STEPS, PRESET_NAMES, PRESETS } from '../../src/edit/slim/settings.ts';
import type { Entry } from '../../src/format/entry.ts';
import { asString, type JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { decode } from '../../src/format/text.ts';
import { context } from '../../src/graph/context/context.ts';
import { assistant, chain, image, result, text, thinking, toJsonl, toolUse, user } from '../support/build.ts';
import { DAMAGES, damaged, uuidAt } from '../support/damage-kinds.ts';
import { CLONE_ID, writtenBytes } from '../support/edit-properties.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { entriesOf, type Message, PROMPT, withoutInventedWords, withoutReminders } from '../support/resume-cases.ts';
import { compressed, repaired, slimmed } from '../support/rewrites.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge, type Verdict } from './judge.ts';

let newest: Judge;
let old: Judge;
beforeAll(async () => {
  [newest, old] = await Promise.all([createJudge(NEWEST), createJudge(OLD)]);
});
afterAll(() => Promise.all([newest.close(), old.close()]));

function comparable(messages: readonly Message[]): Message[] {
  return withoutInventedWords(withoutReminders(messages)).filter(({ content }) => content.length > 0);
}

/** The older one words its own notes otherwise, and does not merge what came apart. */
function wordsOf(messages: readonly Message[]): string[] {
  const blocks = comparable(messages).flatMap(({ content }) => content);
  const words = blocks.flatMap(
    (block) => asString(block.text)?.trim() ?? asString(block.content) ?? asString(block.id) ?? [],
  );
  return words.filter((each) => each !== '' && !/^No response requested|^\(no content\)|^</.test(each));
}

async function resumed(judge: Judge, draft: Draft): Promise<Verdict> {
  judge.place(CLONE_ID, decode(writtenBytes(draft)));
  const verdict = await judge.resume(CLONE_ID, PROMPT);
  expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
  return verdict;
}

async function judged(draft: Draft): Promise<void> {
  const { messages } = context(readSession(writtenBytes(draft)).entries, { prompt: PROMPT });
  const [new_, old_] = await Promise.all([resumed(newest, draft), resumed(old, draft)]);
  expect(comparable(new_.requests[0]?.messages ?? [])).toEqual(comparable(messages));
  expect(wordsOf(old_.requests[0]?.messages ?? [])).toEqual(wordsOf(messages));
}

const MODEL = 'claude-opus-4-5-20251101';

/** Twelve turns with everything that a slim takes out. */
function longSession(usage?: JsonObject): readonly Entry[] {
  const long = 'output '.repeat(800);
  const lines = Array.from({ length: 12 }, (_, i) => {
    const parts = { id: `msg_${i}`, model: MODEL, stop: 'tool_use', ...(usage && { usage }) };
    return [
      i % 4 === 3 ? user([text(`prompt ${i}`), image()]) : user(`prompt ${i}`),
      assistant(thinking(`thought ${i}`, 'SIGNATURE'), parts),
      assistant(text(`looking ${i}`), parts),
      assistant(toolUse(`toolu_${i}a`, 'Bash', { command: long }), parts),
      assistant(toolUse(`toolu_${i}b`, 'Read', { file_path: '/a' }), parts),
      result(`toolu_${i}b`, [text(long), image()], { toolUseResult: { stdout: long } }),
      result(`toolu_${i}a`, long, { toolUseResult: { stdout: long } }),
      assistant(`answer ${i}`, { ...parts, id: `msg_${i}z`, stop: 'end_turn' }),
    ];
  }).flat();
  const linked = chain(lines, { userType: 'external', cwd: '/work/app', gitBranch: '' });
  return entriesOf(
    toJsonl(linked.map((line, i) => ({ ...line, uuid: uuidAt(i + 1), parentUuid: i === 0 ? null : uuidAt(i) }))),
  );
}

describe('slims', () => {
  test.each(PRESET_NAMES)('of twelve turns, %s', (name) => judged(slimmed(longSession(), PRESETS[name]).draft));

  test('in the middle of a tool loop', () => {
    const source = longSession();
    const open = source.slice(0, -1);
    return judged(slimmed(open, BUDGET_STEPS.at(-1)?.settings ?? PRESETS.bare).draft);
  });

  /** One recording of each scenario that has tool calls. */
  const files = transcriptsBelow(join(FIXTURES, 'recorded', NEWEST)).filter((file) =>
    /(?:tools|parallel|thinking|compact|agent)[^/]*\/projects\/.*\/[0-9a-f-]{36}\.jsonl$/.test(file),
  );
  test.each(files.slice(0, 6).map((file) => [basename(file), file]))('of a recording, deep: %s', (_, file) => {
    const { entries } = readSession(readFileSync(file), file);
    return judged(slimmed(entries, { ...PRESETS.deep, turns: 0 }).draft);
  });

  test(`of a context that was full: ${OLD} does not compact it at once`, async () => {
    const full = {
      input_tokens: 10,
      cache_read_input_tokens: 190_000,
      cache_creation_input_tokens: 0,
      output_tokens: 9,
    };
    const source = longSession(full);
    const whole = slimmed(source, { ...PRESETS.light, turns: 99 }).draft;
    old.place(CLONE_ID, decode(writtenBytes(whole)));
    expect((await old.resume(CLONE_ID, PROMPT)).requests.length).toBeGreaterThan(1);
    const scaled = { ...full, cache_read_input_tokens: 170_000 };
    await resumed(old, slimmed(longSession(scaled), PRESETS.bare).draft);
  });
});

describe('compressions', () => {
  test.each([
    [1, false],
    [2, true],
    [3, false],
  ])('keeping %i turns, tools %s', (keep, tools) => {
    const draft = compressed(longSession(), { keep, tools, title: 'Twelve turns' });
    if (draft === undefined) throw new Error('nothing was compressed');
    return judged(draft);
  });
});

describe('repairs', () => {
  test.each(DAMAGES.map((damage) => [damage.name, damage] as const))('%s', (_, damage) =>
    judged(repaired(entriesOf(damaged(damage))).draft),
  );
});
