/** Sessions of the published clients, gone on with by `skein chat`: it sends what they would. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectSlug } from '../../src/format/slug.ts';
import { chatWith } from '../support/chat.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { mended, PROMPT, resumeCases } from '../support/resume-cases.ts';
import { calls, fails, type Reply, says, text, thinking, toolUse } from '../support/scripted-model.ts';
import { chatBeside, inOldWords, UNASKED, wrongIn } from './chat.ts';
import { NEWEST, OLD } from './clients.ts';
import { historyOf, ours, trimmed } from './history.ts';
import { createJudge, type Judge } from './judge.ts';

interface Theirs {
  readonly steps: readonly Reply[];
  /** Each a run of the client. */
  readonly prompts: readonly string[];
  readonly flags?: readonly string[];
  /** The old client loses all but one of the calls that it made at once. */
  readonly parallel?: boolean;
}

const bash = (command: string) => toolUse('Bash', { command, description: 'a command' });
const write = (path: string) => toolUse('Write', { file_path: path, content: 'one\ntwo\n' });

const THEIRS: Readonly<Record<string, (workspace: string) => Theirs>> = {
  plain: () => ({ steps: [says('Hello.')], prompts: ['Hi'] }),
  'several turns': () => ({
    steps: [says('One.'), says([thinking('hm'), text('Two.')]), says('Three.')],
    prompts: ['first', 'second', 'third'],
  }),
  'thinking and parallel tools': (workspace) => ({
    steps: [
      says([
        thinking('a'),
        text('I look.'),
        bash('sleep 0.2; echo a'),
        bash('echo b'),
        write(join(workspace, 'theirs.txt')),
      ]),
      calls('Read', { file_path: join(workspace, 'theirs.txt') }),
      calls('Edit', { file_path: join(workspace, 'theirs.txt'), old_string: 'one', new_string: 'ONE' }),
      says([thinking('b'), text('Done.')]),
    ],
    prompts: ['Look', 'And again'],
    parallel: true,
  }),
  'tools that fail': (workspace) => ({
    steps: [
      says([
        bash('echo out; exit 3'),
        toolUse('Read', { file_path: join(workspace, 'nowhere') }),
        toolUse('Nothing', {}),
      ]),
      says('Sorry.'),
    ],
    prompts: ['Try'],
    parallel: true,
  }),
  'a long output': () => ({ steps: [says([bash('seq 1 30000')]), says('Long.')], prompts: ['Count'] }),
  'a tool that is denied': () => ({
    steps: [says([bash('touch denied')]), says('Not allowed.')],
    prompts: ['Do it'],
    flags: ['--permission-mode', 'default'],
  }),
  'failed for good': () => ({
    steps: [says('Fine.'), fails(400, { message: 'no luck' })],
    prompts: ['First', 'Second'],
  }),
  'overloaded, cut, then answered': () => ({
    steps: [
      fails(529, { retryAfter: 0 }),
      says([text('Lost.'), text('cut')], { cut: { at: { inside: 1 }, how: 'reset' } }),
      says('Kept.'),
    ],
    prompts: ['Hi'],
  }),
  'longer than allowed': () => ({
    steps: [says('Half of', { stopReason: 'max_tokens' }), says('the answer.')],
    prompts: ['Tell'],
  }),
};

describe.each([NEWEST, OLD])('R: written by %s', (version) => {
  let judge: Judge;
  const steps: Reply[] = [];
  beforeAll(async () => {
    judge = await createJudge(version, { script: () => steps.shift() ?? says('ok') });
  });
  afterAll(() => judge.close());

  test.each(Object.entries(THEIRS))('%s', async (_, scene) => {
    const id = randomUUID();
    const { steps: own, prompts, flags = UNASKED, parallel } = scene(judge.workspace);
    steps.splice(0, steps.length, ...own);
    for (const [i, prompt] of prompts.entries()) {
      await judge.start(['-p', prompt, i === 0 ? '--session-id' : '--resume', id, ...flags]);
    }
    steps.length = 0;
    const transcript = judge.transcriptOf(id);
    const theirs = await judge.resume(id, PROMPT);
    writeFileSync(join(judge.project, `${id}.jsonl`), transcript);
    const chat = await chatBeside(judge, [says('Ours.')]);
    const { code, out, err } = await chat.run(['-p', PROMPT, '--resume', id]);
    expect([code, out, err]).toEqual([0, 'Ours.\n', '']);
    expect(chat.model.requests.map(({ refused }) => refused)).toEqual([undefined]);
    const sent = chat.model.requests[0]?.messages ?? [];
    expect(trimmed(sent)).toEqual(trimmed(ours(transcript)));
    const history = historyOf(theirs) ?? [];
    if (version === NEWEST) expect(trimmed(sent)).toEqual(trimmed(history));
    else if (parallel) expect(inOldWords(sent)).toEqual(expect.arrayContaining(inOldWords(history)));
    else expect(inOldWords(sent)).toEqual(inOldWords(history));
    expect(await wrongIn(judge, id)).toEqual([]);
  });
});

/** What `skein chat` sends when it goes on with a session. */
async function sentFor(session: string, transcript: string) {
  const chat = await chatWith(() => says('ok'));
  const project = join(chat.home, '.claude', 'projects', projectSlug(chat.cwd));
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${session}.jsonl`), transcript);
  const { code, err } = await chat.run(['-p', PROMPT, '--resume', session]);
  expect(code, err).toBe(0);
  expect(chat.model.requests.map(({ refused }) => refused)).toEqual([undefined]);
  return chat.model.requests[0]?.messages ?? [];
}

describe('R: recorded, never refused', () => {
  const sessions = transcriptsBelow(join(FIXTURES, 'recorded', NEWEST)).filter((file) =>
    /\/projects\/[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(file),
  );
  test.each(sessions.map((file) => [file.split('/recorded/')[1], file] as const))('%s', async (_, file) => {
    const transcript = readFileSync(file, 'utf8');
    expect(trimmed(await sentFor(basename(file, '.jsonl'), transcript))).toEqual(trimmed(ours(transcript)));
  });
});

/** Recorded with another model, or with attachments that the client puts into words of its own. */
const APART = new Set(['z_model_switch', 'attachments', 'y_tasknotif']);
/** The client sends here what the API refuses (A). */
const REFUSED_BY_API = new Set(['think_nosig', 'drop_uuid', 'drop_parentUuid']);

describe('R: hand-made, with what the published client sent', () => {
  test.each(resumeCases().map((item) => [item.name, item] as const))('%s', async (name, { input, expected }) => {
    const sent = await sentFor('11111111-2222-4333-8444-555555555555', input);
    if (expected === undefined || APART.has(name)) return;
    expect(trimmed(sent)).toEqual(trimmed(REFUSED_BY_API.has(name) ? mended(expected) : expected));
  });
});
