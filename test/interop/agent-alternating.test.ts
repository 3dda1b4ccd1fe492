/** One session of two clients, turn by turn. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray, asObject, asString, isObject } from '../../src/format/json.ts';
import { runHere } from '../support/inprocess.ts';
import { type Message, withoutReminders } from '../support/resume-cases.ts';
import { calls, type Reply, says, text, thinking, toolUse } from '../support/scripted-model.ts';
import { envOf, expectResumed, expectTold, oneSession, promptLine, STREAM, UNASKED } from './chat.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

/** What was said, without the calls between. */
function wordsIn(messages: readonly Message[]): string[] {
  const blocks = withoutReminders(messages).flatMap(({ content }) => content);
  return blocks.flatMap(({ type, text: words }) => (type === 'text' ? [asString(words)?.trim() ?? ''] : []));
}

describe.each([NEWEST, OLD])('R, W: skein and %s', (version) => {
  let judge: Judge;
  const steps: Reply[] = [];
  beforeAll(async () => {
    judge = await createJudge(version, {
      script: () => steps.shift() ?? says('ok'),
      env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' },
    });
  });
  afterAll(() => judge.close());

  test('six turns with tools and edits: each client knows all that was said, and a rewind all files', async () => {
    const [both, made] = [join(judge.workspace, 'both.txt'), join(judge.workspace, 'made.txt')];
    writeFileSync(both, 'zero\n');
    const read = () => calls('Read', { file_path: both });
    const edit = (from: string, to: string) => calls('Edit', { file_path: both, old_string: from, new_string: to });
    const turns: readonly Reply[][] = [
      [read(), edit('zero', 'one'), says('Answer 1')],
      [read(), edit('one', 'two'), says([thinking('b'), text('Answer 2')])],
      [
        calls('Bash', { command: 'cat both.txt', description: 'look' }),
        read(),
        edit('two', 'three'),
        says([thinking('c'), text('Answer 3')]),
      ],
      [calls('Write', { file_path: made, content: 'made\n' }), says('Answer 4')],
      [
        says([toolUse('Bash', { command: 'exit 3' }), toolUse('Glob', { pattern: '*' })]),
        read(),
        edit('three', 'five'),
        says('Answer 5'),
      ],
      [read(), edit('five', 'six'), says('Answer 6')],
    ];
    const { id, chat, say } = await oneSession(judge, () => steps.shift() ?? says('ok'));
    const said: string[] = [];
    for (const [i, script] of turns.entries()) {
      steps.splice(0, steps.length, ...script);
      const isOurs = i % 2 === 0;
      said.push(`Prompt ${i + 1}`);
      chat.model.requests.length = 0;
      const requests = isOurs
        ? await say(`Prompt ${i + 1}`).then(() => chat.model.requests)
        : (await judge.resume(id, `Prompt ${i + 1}`, UNASKED)).requests;
      expect(requests.map(({ refused }) => refused)).toEqual(script.map(() => undefined));
      expect(wordsIn(requests[0]?.messages ?? [])).toEqual(said);
      said.push(`Answer ${i + 1}`);
    }
    expect(readFileSync(both, 'utf8')).toBe('six\n');
    const prompts = turns.map((_, i) => `Prompt ${i + 1}`);
    await expectTold(judge, id, { prompts });
    const rewound = async (to: number) => {
      const { json } = await runHere(['rewind', id, '--to', String(to), '--dry-run', '--json'], envOf(judge));
      const files = (asArray(asObject(json())?.files) ?? []).filter(isObject);
      return files.map(({ path, change }) => `${change} ${path}`).sort();
    };
    const all = [`remove ${made}`, `restore ${both}`];
    expect(await rewound(1)).toEqual(all);
    expect(await rewound(3)).toEqual(all);
    expect(await rewound(6)).toEqual([`none ${made}`, `restore ${both}`]);
    await expectResumed(judge, version, id);
  });

  test('both at once: what the other wrote stays its own, ours goes on in a copy', async () => {
    const { id, chat } = await oneSession(judge, (_, index) => says(`Ours ${index + 1}.`));
    const { child, done, printed } = chat.start([...STREAM, '--session-id', id], { input: promptLine('One') });
    await printed('"result":"Ours 1."');
    const verdict = await judge.resume(id, 'Theirs');
    expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
    const theirs = judge.transcriptOf(id);
    child.stdin?.end(promptLine('Two'));
    const { code, result } = await done;
    const copy = asString(result.session_id) ?? '';
    expect([code, copy === id, judge.transcriptOf(id)]).toEqual([0, false, theirs]);
    await expectTold(judge, copy, { prompts: ['One', 'Two'] });
    await expectResumed(judge, version, copy);
    await expectResumed(judge, version, id);
  });
});
