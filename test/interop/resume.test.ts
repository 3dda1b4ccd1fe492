/** context() against the published client itself: it resumes sessions on loopback, and what it sends is compared with ours. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { listedCases, PROMPT, resumeCases } from '../support/resume-cases.ts';
import { NEWEST, OLD } from './clients.ts';
import { historyOf, ours, promptsIn } from './history.ts';
import { createJudge, type Judge } from './judge.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

let newest: Judge;
let old: Judge;
beforeAll(async () => {
  [newest, old] = await Promise.all([createJudge(NEWEST), createJudge(OLD)]);
});
afterAll(() => Promise.all([newest.close(), old.close()]));

async function agrees(transcript: string, session = SESSION): Promise<void> {
  newest.place(session, transcript);
  const verdict = await newest.resume(session, PROMPT);
  const theirs = historyOf(verdict);
  // Where the client does not take the file there is nothing to compare with.
  if (theirs === undefined) expect(verdict.stdout + verdict.stderr).toMatch(/error/i);
  else expect(ours(transcript)).toEqual(theirs);
}

/** Recorded with another model, or with attachments that the client words anew each time. */
const APART = new Set(['z_model_switch', 'attachments', 'y_tasknotif']);

describe(`R: hand-made sessions, resumed by ${NEWEST}`, () => {
  const cases = resumeCases().filter(({ name }) => !APART.has(name));
  test.each(cases.map(({ name, input }) => [name, input] as const))('%s', (_, input) => agrees(input));
});

describe(`R: sessions nobody has recorded, resumed by ${NEWEST}`, () => {
  const sessions = listedCases('fuzz.jsonl').map(({ input }) => input.split('\n').filter(Boolean));
  const choice = fc.nat(10_000);
  /** Lines lost, doubled and moved. */
  const edit = fc.tuple(fc.constantFrom('drop', 'double', 'move'), choice, choice);
  const edited = fc
    .tuple(fc.constantFrom(...sessions), fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([lines, edits]) => {
      const now = [...lines];
      for (const [kind, from, to] of edits) {
        const at = from % Math.max(now.length, 1);
        const line = kind === 'double' ? now[at] : now.splice(at, 1)[0];
        if (kind !== 'drop' && line !== undefined) now.splice(to % (now.length + 1), 0, line);
      }
      return `${now.join('\n')}\n`;
    });
  const seed = Number(process.env.PROPERTY_SEED ?? 2026);
  test.each(fc.sample(edited, { numRuns: 40, seed }).map((text, index) => [index + 1, text] as const))(
    'session %i',
    (_, text) => agrees(text),
  );
});

describe('sessions the clients wrote themselves', () => {
  const readOf = (file: string) => readFileSync(join(FIXTURES, file), 'utf8');

  /** The longest of each scenario that was recorded: some hold nothing to resume. */
  const recorded = (version: string) => {
    const files = transcriptsBelow(join(FIXTURES, 'recorded', version)).map((file) => file.slice(FIXTURES.length));
    const sessions = files.filter((file) => /\/projects\/.*\/[0-9a-f-]{36}\.jsonl$/.test(file));
    const longest = sessions
      .filter((file) => ours(readOf(file)).length > 1)
      .toSorted((a, b) => readOf(b).length - readOf(a).length);
    return [...Map.groupBy(longest, (file) => file.split('/projects/')[0]).values()].flatMap(([first]) => first ?? []);
  };
  test.each(recorded(NEWEST))('%s', (file) => agrees(readOf(file), basename(file, '.jsonl')));

  test.each(recorded('2.0.76'))(`%s: ${OLD} takes it and sends what was typed`, async (file) => {
    const [session, transcript] = [basename(file, '.jsonl'), readOf(file)];
    old.place(session, transcript);
    const { requests } = await old.resume(session, PROMPT);
    expect(requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(promptsIn(requests[0]?.messages ?? [])).toEqual(promptsIn(ours(transcript)));
  });
});
