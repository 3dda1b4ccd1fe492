/** Clones, forks at a point and moved sessions, resumed by the published client: the history sent is ours. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clone } from '../../src/edit/clone.ts';
import { rawContentOf, toBlocks } from '../../src/format/content.ts';
import { jsonOf } from '../../src/format/entry.ts';
import { asString } from '../../src/format/json.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { decode } from '../../src/format/text.ts';
import { branchesOf } from '../../src/graph/branches.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { CLONE_ID, cloneOptions, writtenBytes } from '../support/edit-properties.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { entriesOf, PROMPT, resumeCases } from '../support/resume-cases.ts';
import {
  apiError,
  assistant,
  boundary,
  pin,
  result,
  summary,
  system,
  thinking,
  transcript,
  use,
  user,
  uuid,
} from '../support/transcript.ts';
import { NEWEST, OLD } from './clients.ts';
import { historyOf, ours, promptsIn } from './history.ts';
import { createJudge, type Judge } from './judge.ts';

let newest: Judge;
let old: Judge;
beforeAll(async () => {
  [newest, old] = await Promise.all([createJudge(NEWEST), createJudge(OLD)]);
});
afterAll(() => Promise.all([newest.close(), old.close()]));

/** The longest of each scenario that was recorded: some hold nothing to resume. */
function recorded(version: string): string[] {
  const sessions = transcriptsBelow(join(FIXTURES, 'recorded', version)).filter((file) =>
    /\/projects\/.*\/[0-9a-f-]{36}\.jsonl$/.test(file),
  );
  const read = (file: string) => readFileSync(file, 'utf8');
  const longest = sessions
    .filter((file) => ours(read(file)).length > 1)
    .toSorted((a, b) => read(b).length - read(a).length);
  return [...Map.groupBy(longest, (file) => file.split('/projects/')[0]).values()].flatMap(([first]) => first ?? []);
}

const cloned = (text: string, leaf?: number) => {
  const entries = entriesOf(text);
  return decode(writtenBytes(clone(entries, cloneOptions(leaf === undefined ? {} : { leaf: entries[leaf] }))));
};

/** The newest client sends exactly what we say it does. */
async function agrees(text: string): Promise<void> {
  newest.place(CLONE_ID, text);
  const verdict = await newest.resume(CLONE_ID, PROMPT);
  expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
  expect(historyOf(verdict)).toEqual(ours(text));
}

/** The old one takes it, is not refused, and has everything that was typed. It has its own words for attachments. */
async function oldTakes(text: string): Promise<void> {
  old.place(CLONE_ID, text);
  const { requests } = await old.resume(CLONE_ID, PROMPT);
  expect(requests.map(({ refused }) => refused)).toEqual([undefined]);
  const isTyped = typedIn(text);
  expect(promptsIn(requests[0]?.messages ?? []).filter(isTyped)).toEqual(promptsIn(ours(text)).filter(isTyped));
}

function typedIn(text: string): (words: string | undefined) => boolean {
  const users = entriesOf(text).filter(({ kind }) => kind === 'user');
  const typed = new Set(
    users.flatMap((entry) => toBlocks(rawContentOf(jsonOf(entry) ?? {})).map(({ raw }) => asString(raw.text)?.trim())),
  );
  return (words) => words === PROMPT || typed.has(words);
}

describe(`S1: clones of what ${NEWEST} wrote`, () => {
  test.each(recorded(NEWEST).map((file) => [file.split('/recorded/')[1], file] as const))('%s', async (_, file) => {
    const source = readFileSync(file, 'utf8');
    const text = cloned(source);
    expect(ours(text)).toEqual(ours(source));
    await agrees(text);
    // C2: the old one does not know what a compaction kept beside its summary.
    if (!source.includes('"preservedMessages"')) await oldTakes(text);
  });
});

describe('S1: clones of what older clients wrote', () => {
  const files = ['2.0.76', '2.1.45'].flatMap(recorded);
  test.each(files.map((file) => [file.split('/recorded/')[1], file] as const))('%s', async (_, file) => {
    const text = cloned(readFileSync(file, 'utf8'));
    await agrees(text);
    await oldTakes(text);
  });
});

describe('forks at a point', () => {
  const files = recorded(NEWEST).filter((file) => /2\.1\.325\/k-interactive\/|\/g-compact\//.test(file));
  const points = files.flatMap((file) => {
    const entries = entriesOf(readFileSync(file, 'utf8'));
    const { current, entriesOf: entriesIn } = branchesOf(entries);
    return turnsOf(entriesIn(current)).flatMap(({ number, entries: own }) => {
      const last = own.findLast(({ kind, head }) => kind === 'assistant' && !head.isSidechain && head.uuid);
      return last === undefined
        ? []
        : [[`${basename(file).slice(0, 8)} turn ${number}`, file, entries.indexOf(last)] as const];
    });
  });
  test.each(points)('%s', async (_, file, leaf) => {
    const text = cloned(readFileSync(file, 'utf8'), leaf);
    await agrees(text);
    if (!text.includes('"preservedMessages"')) await oldTakes(text);
  });
});

/** Shapes that the old client loses history on, hangs on or is refused for (the table in docs/surgery.md). */
const DAMAGED: Record<string, string> = {
  'a parent that was never written': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    user(3, 99, 'two'),
    assistant(4, 3, 'm2', 'A2'),
  ]),
  'parallel results on their own calls': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', [use('t1')]),
    assistant(3, 2, 'm1', [use('t2')]),
    user(4, 2, [result('t1')]),
    user(5, 3, [result('t2')]),
    assistant(6, 5, 'm2', 'A2'),
  ]),
  'parents in a circle': transcript([
    user(1, 4, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    user(3, 2, 'two'),
    assistant(4, 3, 'm2', 'A2'),
    user(5, 4, 'three'),
  ]),
  'torn and bad lines': `${transcript([user(1, null, 'one'), assistant(2, 1, 'm1', 'A1')])}{"type":"user","uu\nnonsense\n${transcript([user(3, 2, 'two')])}{"torn`,
  'a uuid twice': transcript([user(1, null, 'one'), user(1, null, 'one again'), assistant(2, 1, 'm1', 'A1')]),
  'children before parents': transcript([assistant(2, 1, 'm1', 'A1'), user(1, null, 'one'), user(3, 2, 'two')]),
  'no times in the middle': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1', { timestamp: undefined }),
    user(3, 2, 'two', { timestamp: undefined }),
  ]),
  'a stale pin': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    user(3, 2, 'two'),
    assistant(4, 3, 'm2', 'A2'),
    pin(99),
  ]),
  'a rewind': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    user(3, 2, 'left'),
    user(4, 2, 'taken'),
    assistant(5, 4, 'm2', 'A2'),
    pin(5),
  ]),
  'thinking without a signature': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', [thinking('x', '')]),
    assistant(3, 2, 'm1', 'A1'),
    user(4, 3, 'two'),
  ]),
  'progress in the chain': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', [use('t1')]),
    {
      type: 'progress',
      uuid: uuid(3),
      parentUuid: uuid(2),
      timestamp: '2026-11-14T10:00:03Z',
      data: { type: 'bash_progress' },
    },
    user(4, 3, [result('t1')]),
    assistant(5, 4, 'm2', 'A2'),
  ]),
  'a compaction': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    { ...boundary(3, { trigger: 'manual', preTokens: 10 }), logicalParentUuid: uuid(2) },
    summary(4, 3),
    user(5, 4, 'two'),
    assistant(6, 5, 'm2', 'A2'),
    system(7, 6, 'turn_duration'),
  ]),
  'an error of the API at the end': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', 'A1'),
    user(3, 2, 'two'),
    apiError(4, 3),
  ]),
  'a call that was never answered': transcript([
    user(1, null, 'one'),
    assistant(2, 1, 'm1', [use('t1')]),
    user(3, 2, 'two'),
    assistant(4, 3, 'm2', 'A2'),
  ]),
};

describe('S8: clones of sessions that older clients cannot go on with', () => {
  test.each(Object.entries(DAMAGED))('%s', async (_, source) => {
    const text = cloned(source);
    expect(ours(text)).toEqual(ours(source));
    await agrees(text);
    await oldTakes(text);
  });
});

describe(`S1: clones of hand-made sessions, resumed by ${NEWEST}`, () => {
  /** Made for another model, or with attachments that the client words anew each time. */
  const apart = new Set(['z_model_switch', 'attachments', 'y_tasknotif']);
  const cases = resumeCases().filter(({ name, expected }) => expected !== undefined && !apart.has(name));
  test.each(cases.map(({ name, input }) => [name, input] as const))('%s', async (_, input) => {
    const text = cloned(input);
    expect(ours(text)).toEqual(ours(input));
    newest.place(CLONE_ID, text);
    expect(historyOf(await newest.resume(CLONE_ID, PROMPT))).toEqual(ours(text));
  });
});

describe('L2: moved sessions are found in their new folder', () => {
  const source = DAMAGED['parallel results on their own calls'] ?? '';

  test.each([
    [NEWEST, ['--continue']],
    [OLD, ['--resume', CLONE_ID]],
    [OLD, ['--continue']],
  ])('by %s with %j', async (version, how) => {
    const judge = version === OLD ? old : newest;
    judge.place('33333333-3333-4333-8333-333333333333', '');
    const elsewhere = join(judge.config, 'projects', projectSlug('/work/app'));
    mkdirSync(elsewhere, { recursive: true });
    const text = source.replaceAll('"uuid"', '"cwd":"/work/app","uuid"');
    writeFileSync(join(elsewhere, `${CLONE_ID}.jsonl`), text);
    const env = {
      HOME: join(judge.config, '..'),
      CLAUDE_CONFIG_DIR: judge.config,
      SKEIN_HOME: join(judge.config, '..', 'skein'),
    };
    expect((await runHere(['move', CLONE_ID, '--to', judge.workspace, '--delete-source'], env)).code).toBe(0);
    const verdict = await judge.start([...how, '-p', PROMPT]);
    expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(promptsIn(verdict.requests[0]?.messages ?? [])).toEqual(promptsIn(ours(text)));
    if (version === NEWEST) expect(historyOf(verdict)).toEqual(ours(text));
  });
});
