/** Agents that die: the call that started them says so, the turn goes on, and the session can be resumed. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LoopEvent } from '../../../src/agent/ports.ts';
import { writeOnce } from '../../../src/disk/io.ts';
import { decode } from '../../../src/format/text.ts';
import { validate } from '../../../src/graph/validate.ts';
import { calls, fails, neverAnswers, type Script, says, toolUse } from '../../support/scripted-model.ts';
import { type SayOptions, type TalkWith, talkWith } from '../talkwith.ts';
import { contextOf, wrongIn } from '../world.ts';
import { byPrompt, named } from './script.ts';
import { results, task, written } from './support.ts';

/** The first call is an agent that dies, the second one that does not. */
function script(bad: Parameters<typeof byPrompt>[0][string]): Script {
  return byPrompt({
    Begin: [says([toolUse('Agent', task('BAD')), toolUse('Agent', task('GOOD'))]), says('Half.'), says('Again.')],
    BAD: bad,
    GOOD: [calls('Bash', { command: 'echo hi' }), says('Fine.')],
  });
}

/** It ends well, says what happened to whom, and goes on. */
async function expectContained(it: TalkWith, why: RegExp, more: SayOptions = {}): Promise<void> {
  expect(await it.say('Begin', 'bypassPermissions', more)).toMatchObject({ reason: 'end_turn', text: 'Half.' });
  const { file, main } = written(it);
  const told = results(main).map(({ block }) => [block.is_error === true, JSON.stringify(block.content)] as const);
  expect(told.toSorted(([a], [b]) => Number(b) - Number(a))).toEqual([
    [true, expect.stringMatching(why)],
    [false, expect.stringContaining('Fine.')],
  ]);
  expect(wrongIn(file)).toEqual([]);
  expect(validate(contextOf(file, { prompt: 'Go on' }).messages)).toEqual([]);
  expect(await it.say('Go on', 'bypassPermissions')).toMatchObject({ reason: 'end_turn', text: 'Again.' });
  expect(it.model.requests.map(({ refused }) => refused).filter(Boolean)).toEqual([]);
}

describe('an agent that dies', () => {
  test('its model fails for good, after some work', async () => {
    const it = await talkWith(
      script([calls('Bash', { command: 'echo hi' }), fails(400, { message: 'no such thing' })]),
    );
    await expectContained(it, /The agent failed: .*no such thing/);
  });

  test.each([
    ['its first line', 0],
    ['its answer', 1],
    ['a result', 2],
  ])('ENOSPC: %s cannot be written', async (_, after) => {
    const it = await talkWith(script([calls('Bash', { command: 'echo hi' }), says('Never.')]));
    let [bad, lines] = ['', 0];
    const write = (fd: number, bytes: Uint8Array): number => {
      const line = decode(bytes);
      const [, id = ''] = /"isSidechain":true,"agentId":"(\w+)"/.exec(line) ?? [];
      if (line.includes('"BAD"')) bad = id;
      if (id === '' || id !== bad) return writeOnce(fd, bytes);
      lines += 1;
      if (lines > after) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      return writeOnce(fd, bytes);
    };
    await expectContained(it, /The agent failed: .*(?:disk is full|no space)/i, { write });
  });

  test('ENOSPC: what is told from a timer while a command runs cannot be written, and ends nothing but the agent', async () => {
    const it = await talkWith(script([calls('Bash', { command: 'sleep 1.4' }), says('Never.')]));
    let [bad, isFull] = ['', false];
    const write = (fd: number, bytes: Uint8Array): number => {
      const line = decode(bytes);
      const [, id = ''] = /"isSidechain":true,"agentId":"(\w+)"/.exec(line) ?? [];
      if (line.includes('"BAD"')) bad = id;
      isFull ||= id === bad && line.includes('"type":"progress"');
      if (isFull && id === bad) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      return writeOnce(fd, bytes);
    };
    await expectContained(it, /The agent failed: .*(?:disk is full|no space)/i, { write });
    expect(isFull).toBe(true);
  });

  test('it cannot even begin: a file lies where its folder would be', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [
          () => {
            const { file } = written(it);
            const folder = file.replace(/\.jsonl$/, '');
            mkdirSync(folder, { recursive: true });
            writeFileSync(join(folder, 'subagents'), '');
            return calls('Agent', task('BAD'));
          },
          says('No.'),
          says('Again.'),
        ],
        BAD: [],
      }),
    );
    expect(await it.say('Begin')).toMatchObject({ reason: 'end_turn', text: 'No.' });
    const { file, main } = written(it);
    expect(results(main)[0]?.block).toMatchObject({ is_error: true, content: expect.stringContaining('subagents') });
    expect(wrongIn(file)).toEqual([]);
    expect(await it.say('Go on')).toMatchObject({ text: 'Again.' });
  });

  test('its transcript is taken away while it works', async () => {
    const it = await talkWith(
      script([
        () => {
          const agent = written(it).agents.find(({ lines }) => JSON.stringify(lines[0]).includes('"BAD"'));
          rmSync(agent?.file ?? '');
          return says('Never.');
        },
      ]),
    );
    await expectContained(it, /The agent failed: .*file is gone/);
  });

  test('what it runs kills its own shell: an error for the agent, which goes on', async () => {
    const it = await talkWith(
      byPrompt({
        Begin: [calls('Agent', task('SUB')), says('Done.')],
        SUB: [calls('Bash', { command: 'kill -9 $$' }), calls('Bash', { command: 'echo alive' }), says('Report.')],
      }),
    );
    expect(await it.say('Begin', 'bypassPermissions')).toMatchObject({ text: 'Done.' });
    const { main, agents } = written(it);
    const [killed, alive] = results(agents[0]?.lines ?? []);
    expect(killed?.block.is_error).toBe(true);
    expect(alive?.block.content).toContain('alive');
    expect(results(main)[0]?.entry.toolUseResult).toMatchObject({ content: [{ text: 'Report.' }] });
  });

  test('interrupted while ten run: each call has a result, and all of it goes on', async () => {
    const stop = new AbortController();
    const many = Array.from({ length: 10 }, (_, i) => toolUse('Agent', task(`SUB ${i};`)));
    const begun = new Set<string>();
    const it = await talkWith(
      byPrompt({
        Begin: [says(many), says('Again.')],
        // Half of them wait for the model, half for a command.
        ...Object.fromEntries(
          many.map((_, i) => [
            `SUB ${i};`,
            [i % 2 === 0 ? neverAnswers() : calls('Bash', { command: `touch ${i}.begun; sleep 30` })],
          ]),
        ),
      }),
    );
    const emit = (event: LoopEvent): void => {
      if (event.kind === 'agent' && event.event.kind === 'tool-start') begun.add(event.id);
    };
    const timer = setInterval(() => {
      const commands = [1, 3, 5, 7, 9].every((i) => existsSync(join(it.cwd, `${i}.begun`)));
      if (commands && it.model.requests.filter(named('SUB')).length === many.length) stop.abort();
    }, 5);
    const end = await it.say('Begin', 'bypassPermissions', { stop: stop.signal, emit });
    clearInterval(timer);
    expect(end.reason).toBe('interrupted');
    expect(begun.size).toBe(5);
    const { file, main, agents } = written(it);
    expect(results(main).map(({ block }) => block.is_error)).toEqual(many.map(() => true));
    expect(agents).toHaveLength(many.length);
    for (const agent of agents) {
      expect(JSON.stringify(agent.lines.at(-1))).toContain('[Request interrupted by user');
      expect(agent.meta.finished).toBe(true);
      expect(dirname(agent.file)).toBe(join(file.replace('.jsonl', ''), 'subagents'));
    }
    expect(wrongIn(file)).toEqual([]);
    expect(validate(contextOf(file, { prompt: 'Go on' }).messages)).toEqual([]);
    expect(await it.say('Go on', 'bypassPermissions')).toMatchObject({ reason: 'end_turn', text: 'Again.' });
  });
});
