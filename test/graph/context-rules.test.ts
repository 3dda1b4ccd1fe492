/** Rules that the recorded cases leave open; each answer was given by client 2.1.325 when it was asked. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import type { ContextOptions } from '../../src/graph/context/types.ts';
import { validate } from '../../src/graph/validate.ts';
import { entriesOf } from '../support/resume-cases.ts';
import {
  apiError,
  assistant,
  attachment,
  boundary,
  brief,
  pin,
  result,
  SONNET,
  summary,
  text,
  thinking,
  time,
  transcript,
  use,
  user,
  uuid,
} from '../support/transcript.ts';

function sent(lines: readonly JsonObject[], options: ContextOptions = { prompt: 'new' }): string[] {
  const { messages } = context(entriesOf(transcript(lines)), options);
  expect(validate(messages)).toEqual([]);
  return brief(messages);
}

const start = [user(1, null, 'q1'), assistant(2, 1, 'm1', 'a1')];
const called = [user(1, null, 'q1'), assistant(2, 1, 'm1', [use('t1')])];

describe('R6: gaps', () => {
  const gap = (seconds: number) => [
    ...start,
    user(3, 99, 'q2', { timestamp: time(2 + seconds) }),
    assistant(4, 3, 'm2', 'a2', { timestamp: time(3 + seconds) }),
  ];
  test('are bridged over at most five seconds', () => {
    expect(sent(gap(5))).toHaveLength(5);
    expect(sent(gap(5.001))).toEqual(['user: q2', 'assistant: a2', 'user: new']);
  });
  test('are bridged to the newest entry that was not walked yet', () => {
    const lines = [...start, user(5, 99, 'q2'), assistant(4, 5, 'm2', 'a2')];
    expect(sent([...lines, pin(4)])).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2', 'user: new']);
  });
  test('progress is bridged where it was written before what hangs on it', () => {
    const progress = { type: 'progress', uuid: uuid(3), parentUuid: uuid(2) };
    const later = [user(20, 3, 'q2'), assistant(21, 20, 'm2', 'a2')];
    expect(sent([...start, progress, ...later])[0]).toBe('user: q1');
    expect(sent([...start, ...later, progress])[0]).toBe('user: q2');
  });
});

describe('R4: a pin is no branch', () => {
  const parallel = [
    ...called,
    assistant(3, 2, 'm1', [use('t2')]),
    user(4, 2, [result('t1')]),
    user(5, 3, [result('t2')]),
  ];
  test('when it is parallel to what the tip goes through', () => {
    expect(sent([...parallel, user(6, 4, 'later'), assistant(7, 6, 'm2', 'a2'), pin(5)])).toContain('assistant: a2');
  });
  test('but it is one when the tip left before any parallel call', () => {
    const lines = [...called, user(3, 2, [result('t1')]), user(4, 2, 'later'), assistant(5, 4, 'm2', 'a2'), pin(3)];
    expect(sent(lines)).not.toContain('assistant: a2');
  });
});

describe('R8, R9: what belongs to a message', () => {
  test('attachments and local commands that hang on its calls or results come with it', () => {
    const lines = [...called, assistant(3, 2, 'm1', [use('t2')]), user(4, 2, [result('t1')]), attachment(5, 4, 'note')];
    expect(sent([...lines, user(6, 3, [result('t2')]), assistant(7, 6, 'm2', 'a2')])).toEqual([
      'user: q1',
      'assistant: +t1 | +t2',
      'user: =t1 r-t1\n\nnote | =t2 r-t2',
      'assistant: a2',
      'user: new',
    ]);
  });
  test('but not those from which another branch goes on', () => {
    const lines = [...called, user(3, 2, [result('t1')]), attachment(4, 3, 'note'), user(5, 4, 'old')];
    expect(sent([...lines, user(6, 2, 'again'), assistant(7, 6, 'm2', 'a2')])).toContain('user: =t1 r-t1 | again');
  });
  test('results that hang elsewhere come after all its lines', () => {
    const lines = [
      ...called,
      user(3, 99, [result('t1')]),
      assistant(4, 3, 'm1', [use('t2')]),
      user(5, 4, [result('t2')]),
    ];
    const more = [assistant(6, 5, 'm1', [use('t3')]), user(7, 6, [result('t3')]), user(8, 2, 'again')];
    expect(sent([...lines, ...more, assistant(9, 8, 'm2', 'a2'), pin(9)])[2]).toBe(
      'user: =t2 r-t2 | =t1 r-t1 | =t3 r-t3 | again',
    );
  });
  test('a result before its message goes behind it unless something was typed between', () => {
    const early = [...start, user(3, 2, [result('t1')])];
    expect(sent([...early, assistant(4, 3, 'm2', [use('t1')]), user(5, 4, 'x'), assistant(6, 5, 'm3', 'a3')])).toEqual([
      'user: q1',
      'assistant: a1',
      'assistant: +t1',
      'user: =t1 r-t1 | x',
      'assistant: a3',
      'user: new',
    ]);
  });
});

describe('R13: what waits for an answer', () => {
  const caveat = user(3, 2, '<local-command-caveat>c</local-command-caveat>', { isMeta: true });
  const command = user(4, 3, '<command-name>/x</command-name>');
  const output = user(5, 4, '<local-command-stdout>o</local-command-stdout>');
  const answered = (lines: readonly JsonObject[]) => sent(lines).includes('assistant: No response requested.');

  test('not a command that the client carried out itself', () => {
    expect(answered([...start, caveat, command, output])).toBe(false);
    expect(answered([...start, { ...command, parentUuid: uuid(2) }, output])).toBe(true);
  });
  test('not a summary or an interruption that attachments follow', () => {
    expect(answered([...start, boundary(3), summary(4, 3), attachment(5, 4)])).toBe(false);
    expect(answered([...start, boundary(3), summary(4, 3)])).toBe(true);
    const interrupted = user(3, 2, [text('[Request interrupted by user]')]);
    expect(answered([...start, interrupted, attachment(4, 3)])).toBe(false);
  });
  test('a prompt whose answer was an API error, when attachments follow', () => {
    const failed = [...start, user(3, 2, 'q2'), apiError(4, 3)];
    expect(answered([...failed, attachment(5, 4)])).toBe(true);
    expect(answered(failed)).toBe(false);
  });
  test('all unanswered calls of a turn that ends in a result', () => {
    const lines = [...called, assistant(3, 2, 'm2', [use('t2')]), user(4, 3, [result('t2')])];
    const { openCalls, noResponse } = context(entriesOf(transcript(lines)), { prompt: 'new' });
    expect([openCalls, noResponse]).toEqual([['t1'], true]);
    expect(sent(lines)[2]).toBe('user: =t1 [Tool result missing due to internal error]');
  });
});

describe('R12, R15', () => {
  test('thinking next to blank text alone is thinking alone', () => {
    const lines = [user(1, null, 'q1'), assistant(2, 1, 'm1', [thinking('hm'), text(' ')]), user(3, 2, 'q2')];
    expect(sent([...lines, assistant(4, 3, 'm2', 'a2')])[0]).toBe('user: q1\n | q2');
  });
  test('thinking is sent to the model that thought it, by whatever name it goes', () => {
    const lines = [...start, user(3, 2, 'q2'), assistant(4, 3, 'm2', [thinking('hm'), text('a2')])];
    expect(sent(lines, { prompt: 'new', model: 'claude-opus-4-5' })).toContain('assistant: ~hm | a2');
    expect(sent(lines, { prompt: 'new', model: SONNET })).toContain('assistant: a2');
  });
  test('calls come last in a message', () => {
    const lines = [user(1, null, 'q1'), assistant(2, 1, 'm1', [use('t1'), text('said')]), user(3, 2, [result('t1')])];
    expect(sent([...lines, assistant(4, 3, 'm2', 'a2')])[1]).toBe('assistant: said | +t1');
  });
});

test('R15: what the client notes beside the input of SendMessage is not sent', () => {
  const noted = {
    type: 'message',
    recipient: 'a1',
    recipient_kind: 'agent',
    content: 'm',
    request_id: 'x',
    approve: true,
  };
  const inputs: [JsonObject, JsonObject][] = [
    [
      { to: 'a1', summary: 's', message: 'm', ...noted },
      { to: 'a1', summary: 's', message: 'm' },
    ],
    [
      { to: 'a1', message: 'm', other: 1, ...noted },
      { to: 'a1', message: 'm', other: 1 },
    ],
    [noted, noted],
  ];
  for (const [input, expected] of inputs) {
    const call = { type: 'tool_use', id: 't1', name: 'SendMessage', input };
    const lines = [user(1, null, 'q1'), assistant(2, 1, 'm1', [call]), user(3, 2, [result('t1')])];
    const { messages } = context(entriesOf(transcript(lines)), { prompt: 'new' });
    expect(messages[1]?.content[0]?.input).toEqual(expected);
  }
});
