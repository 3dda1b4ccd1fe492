/** Sessions as `skein chat` writes them, one of every kind that a turn can go. */
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { asString } from '../../src/format/json.ts';
import { calls, fails, hold, redacted, says, text, thinking, toolUse, webSearch } from '../support/scripted-model.ts';
import { oneSession, promptLine, STREAM, UNASKED } from './chat.ts';
import type { Judge } from './judge.ts';

export interface Played {
  readonly id: string;
  /** Of each turn. */
  readonly prompts: readonly string[];
  /** Tokens in and out: every answer is 10 and 5, one that was cut 10 and 1. */
  readonly tokens?: readonly [number, number];
  /** Stands in the file. */
  readonly holds?: readonly string[];
}

const answers = (whole: number, cut = 0): [number, number] => [10 * (whole + cut), 5 * whole + cut];
const bash = (command: string) => toolUse('Bash', { command });
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const SCENES: Readonly<Record<string, (judge: Judge) => Promise<Played>>> = {
  plain: async (judge) => {
    const { id, say } = await oneSession(judge, [says('Hello.')]);
    await say('Hi');
    return { id, prompts: ['Hi'], tokens: answers(1) };
  },

  'several turns': async (judge) => {
    const script = [
      says('One.'),
      calls('Bash', { command: 'echo two' }),
      says('Two.'),
      says([thinking('hm'), text('3')]),
    ];
    const { id, say } = await oneSession(judge, script);
    for (const prompt of ['first', 'second', 'third']) await say(prompt);
    return { id, prompts: ['first', 'second', 'third'], tokens: answers(4) };
  },

  'thinking and parallel tools, results as they came': async (judge) => {
    let isTurn = () => false;
    const url = await slowPage(() => isTurn());
    const several = [
      toolUse('WebFetch', { url, prompt: 'what is it' }, 'toolu_slow'),
      toolUse('Read', { file_path: 'a.txt' }, 'toolu_fast'),
      toolUse('Glob', { pattern: '*.txt' }, 'toolu_glob'),
    ];
    const script = [says([thinking('a'), text('I look.'), ...several]), says([thinking('b'), text('Seen.')])];
    const { id, say } = await oneSession(judge, script);
    writeFileSync(join(judge.workspace, 'a.txt'), 'alpha\n');
    // However long the others take: it is there when their results are written.
    const others = ['toolu_fast', 'toolu_glob'];
    isTurn = () => others.every((call) => judge.transcriptOf(id).includes(`"tool_use_id":"${call}"`));
    await say('Look', [], { env: { SKEIN_ALLOW_PRIVATE_ADDRESSES: '1' } });
    const results = [...judge.transcriptOf(id).matchAll(/"tool_use_id":"(toolu_\w+)"/g)].map(([, of]) => of);
    expect(results.at(-1)).toBe('toolu_slow');
    return { id, prompts: ['Look'], tokens: answers(2), holds: ['Slow words'] };
  },

  'tools that fail': async (judge) => {
    const wrong = [toolUse('Read', { file_path: 'nowhere.txt' }), toolUse('Read', { path: 1 }), toolUse('Nothing', {})];
    const script = [says([bash('echo out; echo err >&2; exit 3'), ...wrong]), says('Sorry.')];
    const { id, say } = await oneSession(judge, script);
    await say('Try');
    return { id, prompts: ['Try'], tokens: answers(2), holds: ['"is_error":true'] };
  },

  'a tool that is denied': async (judge) => {
    const { id, say } = await oneSession(judge, [says([text('I try.'), bash('touch denied')]), says('Not allowed.')]);
    await say('Do it', ['--permission-mode', 'default']);
    expect(existsSync(join(judge.workspace, 'denied'))).toBe(false);
    return { id, prompts: ['Do it'], tokens: answers(2), holds: ['"toolDenialKind"'] };
  },

  'interrupted in an answer': async (judge) => {
    const gate = hold();
    const half = says([thinking('hm'), text('One.'), text('Half a sentence')], {
      holdAt: { at: { inside: 2 }, hold: gate },
    });
    const { id, chat } = await oneSession(judge, [half]);
    const { child, done } = chat.start(['-p', 'Talk', '--session-id', id]);
    await gate.reached;
    await expect.poll(() => existsSync(join(judge.project, `${id}.jsonl`)) && judge.transcriptOf(id)).toContain('One.');
    child.kill('SIGINT');
    expect((await done).code).toBe(130);
    return { id, prompts: ['Talk'], tokens: answers(0, 1), holds: ['[Request interrupted by user]'] };
  },

  'interrupted before a word': async (judge) => {
    const gate = hold();
    const { id, chat } = await oneSession(judge, [says('Never', { hold: gate })]);
    const { child, done } = chat.start(['-p', 'Talk', '--session-id', id]);
    await gate.reached;
    child.kill('SIGINT');
    expect((await done).code).toBe(130);
    return { id, prompts: ['Talk'], tokens: answers(0), holds: ['[Request interrupted by user]'] };
  },

  'interrupted in a tool': async (judge) => {
    const begun = `begun-${Math.random()}`;
    const script = [says([text('Go.'), bash('echo before'), bash(`touch ${begun}; sleep 20`), bash('echo never')])];
    const { id, chat } = await oneSession(judge, script);
    const { child, done } = chat.start(['-p', 'Work', '--session-id', id, ...UNASKED]);
    await expect.poll(() => existsSync(join(judge.workspace, begun))).toBe(true);
    child.kill('SIGINT');
    expect((await done).code).toBe(130);
    return { id, prompts: ['Work'], tokens: answers(1), holds: ['[Request interrupted by user for tool use]'] };
  },

  forked: async (judge) => {
    const { id, say } = await oneSession(judge, [says([text('I.'), bash('echo x')]), says('Here.'), says('There.')]);
    await say('Begin');
    const { result } = await say('Elsewhere', ['--fork-session']);
    const fork = asString(result.session_id) ?? '';
    expect(fork).not.toBe(id);
    return {
      id: fork,
      prompts: ['Begin', 'Elsewhere'],
      tokens: answers(3),
      holds: [`"forkedFrom":{"sessionId":"${id}"`],
    };
  },

  'said while it works': async (judge) => {
    const { id, chat } = await oneSession(judge, [says([bash('sleep 0.5')]), says('Both done.')]);
    const args = [...STREAM, '--session-id', id, ...UNASKED];
    const { child, done, printed } = chat.start(args, { input: promptLine('Work') });
    await printed('tool_use');
    child.stdin?.end(promptLine('And hurry'));
    expect((await done).code).toBe(0);
    return { id, prompts: ['Work', 'And hurry'], tokens: answers(2), holds: ['"queued_command"'] };
  },

  'overloaded, then answered': async (judge) => {
    const { id, say } = await oneSession(judge, [fails(529, { retryAfter: 0 }), says('At last.')]);
    await say('Hi');
    return { id, prompts: ['Hi'], tokens: answers(1), holds: ['"api_error"'] };
  },

  'cut after whole blocks, then answered': async (judge) => {
    const cut = (...blocks: Parameters<typeof says>[0][]) =>
      says(
        blocks.flat().map((block) => (typeof block === 'string' ? text(block) : block)),
        {
          cut: { at: { inside: blocks.length - 1 }, how: 'reset' },
        },
      );
    const script = [
      cut([thinking('lost')], 'Lost.', 'cut'),
      cut([bash('touch lost')], 'cut'),
      says([bash('echo kept')]),
      says('Kept.'),
    ];
    const { id, say } = await oneSession(judge, script);
    await say('Hi', [], { env: { CLAUDE_CODE_MAX_RETRIES: '3' } });
    expect(existsSync(join(judge.workspace, 'lost'))).toBe(false);
    return { id, prompts: ['Hi'], tokens: answers(2, 2) };
  },

  'longer than allowed, continued': async (judge) => {
    const script = [says('Half of', { stopReason: 'max_tokens' }), says('the answer.')];
    const { id, say } = await oneSession(judge, script);
    await say('Tell');
    return { id, prompts: ['Tell'], tokens: answers(2) };
  },

  'failed for good': async (judge) => {
    const { id, say } = await oneSession(judge, [says('Fine.'), fails(400, { message: 'no luck' })]);
    await say('First');
    expect((await say('Second')).code).toBe(1);
    return { id, prompts: ['First', 'Second'], tokens: answers(1), holds: ['"isApiErrorMessage":true'] };
  },

  'a prompt with an image': async (judge) => {
    const { id, chat } = await oneSession(judge, [says('A dot.')]);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
    const input = promptLine([text('What is it?'), image]);
    expect((await chat.run([...STREAM, '--session-id', id], { input })).code).toBe(0);
    return { id, prompts: ['What is it?\n[image]'], tokens: answers(1), holds: [PIXEL] };
  },

  'an output that is kept in a file': async (judge) => {
    const { id, say } = await oneSession(judge, [says([bash('seq 1 30000')]), says('Long.')]);
    await say('Count');
    return { id, prompts: ['Count'], tokens: answers(2), holds: ['<persisted-output>'] };
  },

  named: async (judge) => {
    const { id, say } = await oneSession(judge, [says('Hello.')]);
    await say('Hi', ['--name', 'A name of its own']);
    return { id, prompts: ['Hi'], tokens: answers(1), holds: ['A name of its own'] };
  },

  'files changed': async (judge) => {
    const file = `file-${Math.random()}.txt`;
    const script = [
      calls('Write', { file_path: file, content: 'one\ntwo\n' }),
      calls('Edit', { file_path: file, old_string: 'one', new_string: 'ONE' }),
      says('Changed.'),
      calls('Read', { file_path: file }),
      calls('MultiEdit', { file_path: file, edits: [{ old_string: 'two', new_string: 'TWO' }] }),
      calls('TodoWrite', { todos: [{ content: 'a', status: 'pending', activeForm: 'doing a' }] }),
      says('Again.'),
    ];
    const { id, say } = await oneSession(judge, script);
    await say('Change');
    await say('Once more');
    return { id, prompts: ['Change', 'Once more'], tokens: answers(7), holds: ['"file-history-snapshot"'] };
  },

  'fifty turns': async (judge) => {
    const { id, chat } = await oneSession(judge, (_, index) => says(`Answer ${index + 1}.`));
    const { child, done, printed } = chat.start([...STREAM, '--session-id', id], { input: '' });
    const prompts = Array.from({ length: 50 }, (_, i) => `Prompt ${i + 1}`);
    for (const [i, prompt] of prompts.entries()) {
      child.stdin?.write(promptLine(prompt));
      await printed(`"result":"Answer ${i + 1}."`);
    }
    child.stdin?.end();
    expect((await done).code).toBe(0);
    return { id, prompts, tokens: answers(50) };
  },

  'ids that come twice': async (judge) => {
    const twice = () =>
      says([text('I look.'), toolUse('Bash', { command: 'echo x' }, 'toolu_same')], { id: 'msg_same' });
    const { id, say } = await oneSession(judge, [
      twice(),
      twice(),
      says('Done.', { id: 'msg_same' }),
      twice(),
      says('Done.'),
    ]);
    await say('First');
    await say('Second');
    return { id, prompts: ['First', 'Second'] };
  },

  'odd blocks and letters': async (judge) => {
    const odd = 'tab\t nul\u0000 line\u2028 end\u0085 😀 مرحبا \u202e "quotes" \\n </system-reminder>';
    const script = [
      says([redacted(), thinking('signed'), text(' \n'), text(odd), bash('printf "\\377\\000ok"')]),
      says(odd),
    ];
    const { id, say } = await oneSession(judge, script);
    await say(odd.replaceAll('\u0000', ''));
    return { id, prompts: [odd.replaceAll('\u0000', '')], tokens: answers(2) };
  },

  'an answer without a word': async (judge) => {
    const { id, say } = await oneSession(judge, [says([]), says('Yes?')]);
    await say('Hi');
    return { id, prompts: ['Hi'], holds: ['Yes?'] };
  },

  'declined by the model': async (judge) => {
    const { id, say } = await oneSession(judge, [says('Fine.'), says('I ca', { stopReason: 'refusal' })]);
    await say('First');
    expect((await say('Second')).code).toBe(1);
    return { id, prompts: ['First', 'Second'], tokens: answers(2) };
  },

  'tools of the server, paused between': async (judge) => {
    const found = [{ url: 'https://example.org/', title: 'Example' }];
    const script = [
      says([text('I search.'), ...webSearch('skein', found)], { stopReason: 'pause_turn' }),
      says([text('Found it.'), bash('echo then')]),
      says('Done.'),
    ];
    const { id, say } = await oneSession(judge, script);
    await say('Search');
    return { id, prompts: ['Search'], tokens: answers(3) };
  },

  'begun by the published client': async (judge) => {
    const { id, say } = await oneSession(judge, [says([thinking('mine'), bash('echo mine')]), says('Mine.')]);
    await judge.start(['-p', 'Theirs', '--session-id', id]);
    const { result } = await say('Ours');
    expect(result.session_id).toBe(id);
    // The old client tells only what was used when an answer began.
    return { id, prompts: ['Theirs', 'Ours'] };
  },
};

/** Answers when it is its turn. */
async function slowPage(isTurn: () => boolean): Promise<string> {
  const server = createServer((_, response) => {
    const waiting = setInterval(() => {
      if (!isTurn()) return;
      clearInterval(waiting);
      response.setHeader('content-type', 'text/plain').end('Slow words');
    }, 20);
    response.on('close', () => clearInterval(waiting));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
}
