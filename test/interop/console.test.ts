/** What a person did in the console (typed commands, a queue, a mode, a rewind, an interrupt), gone on with by the published clients. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleWith } from '../support/console.ts';
import { calls, hold, says } from '../support/scripted-model.ts';
import { expectResumed, expectTold } from './chat.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

const IDLE = '? for keys';

describe.each([NEWEST, OLD])('%s', (version) => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(version);
  });
  afterAll(() => judge.close());

  test('W: ! commands, what was queued and taken back, a mode, a rewind and an interrupt', async () => {
    const [busy, last] = [hold(), hold()];
    const { config, workspace: cwd } = judge;
    const world = await consoleWith(
      [
        says('First.', { hold: busy }),
        says('Told.'),
        calls('Write', { file_path: 'made.txt', content: 'x\\n' }),
        says('Written.'),
        says('Instead.'),
        says('Half of', { holdAt: { at: { inside: 0 }, hold: last } }),
      ],
      { root: dirname(config), home: dirname(config), cwd, config },
    );
    const terminal = world.open();
    const idle = (words: string) => terminal.until((screen) => screen.includes(words) && screen.includes(IDLE));
    const say = (words: string) => {
      terminal.type(words);
      terminal.keys('Enter');
    };
    await idle('Skein');
    say('!echo from-bang');
    await idle('  from-bang');
    say('begin');
    await busy.reached;
    for (const words of ['kept', 'dropped']) {
      say(words);
      await terminal.until(`⧗ ${words}`);
    }
    terminal.keys('Up');
    await terminal.until('❯ dropped');
    terminal.keys('C-u');
    busy.release();
    await idle('Told.');
    terminal.keys('BTab');
    await terminal.until('edits unasked');
    say('write it');
    await idle('Written.');
    say('/rewind');
    await terminal.until('Back to before which prompt?');
    terminal.keys('Enter');
    await terminal.until('What should be as it was?');
    terminal.type('b');
    await terminal.until(/goes on from before that prompt[\s\S]*❯ write it/);
    terminal.keys('C-u');
    say('something else');
    await idle('Instead.');
    say('and on');
    await last.reached;
    terminal.keys('Escape');
    await idle('Interrupted.');
    terminal.keys('C-d');
    const end = await terminal.until('[exit 0]');
    const id = /chat --resume ([\w-]{36})/.exec(end)?.[1] ?? '';
    expect(JSON.stringify(world.model.requests[4]?.messages)).not.toContain('Written.');
    await expectTold(judge, id, { prompts: ['!echo from-bang', 'begin', 'kept', 'something else', 'and on'] });
    await expectResumed(judge, version, id);
  });
});
