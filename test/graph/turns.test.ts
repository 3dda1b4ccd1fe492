import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/format/entry.ts';
import { asString, at, type JsonObject, parseJson } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { promptTextOf, turnsOf } from '../../src/graph/turns.ts';
import type { Turn } from '../../src/graph/types.ts';
import {
  assistant,
  attachment,
  conversation,
  entriesOf,
  queueOperation,
  result,
  system,
  text,
  timeOf,
  toolUse,
  user,
} from '../support/build.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';

const COMMAND =
  '<command-name>/cost</command-name><command-message>cost</command-message><command-args></command-args>';
const CUSTOM =
  '<command-message>greet</command-message><command-name>/greet</command-name><command-args>Bob</command-args>';
const CAVEAT = user('<local-command-caveat>…</local-command-caveat>', { isMeta: true });
const OUTPUT = user('<local-command-stdout>done</local-command-stdout>');
const INTERRUPT = user([text('[Request interrupted by user]')]);
const SNAPSHOT = { type: 'file-history-snapshot', messageId: 'u1' };

function turns(...lines: JsonObject[]): Turn[] {
  return turnsOf(conversation(lines));
}

/** One line a turn: what it is and which lines it holds. */
function outline(list: readonly Turn[]): string[] {
  return list.map(
    (turn) => `${turn.kind} ${promptTextOf(turn)}: ${turn.entries.map(({ line }) => line.number).join(' ')}`,
  );
}

describe('E7: where a turn starts', () => {
  test('at a prompt, not at what only looks like one', () => {
    const lines = [
      user('one'),
      assistant(toolUse('t1'), { id: 'm1', stop: 'tool_use' }),
      result('t1'),
      user('<task-notification>x'),
      user('# Skill', { isMeta: true }),
      assistant('done', { id: 'm2' }),
      user('two'),
      INTERRUPT,
    ];
    const [first, second] = turns(...lines);
    expect(outline(turns(...lines))).toEqual(['text one: 1 2 3 4 5 6', 'text two: 7 8']);
    expect(first).toMatchObject({ uuid: 'u1', number: 1, started: timeOf(0), ended: timeOf(5), durationMs: 5000 });
    expect(first?.messages.map(({ id }) => id)).toEqual(['m1', 'm2']);
    expect(first?.toolCalls.map(({ id, status }) => [id, status])).toEqual([['t1', 'ok']]);
    expect(second).toMatchObject({ uuid: 'u7', number: 2, messages: [] });
  });

  test('a command with its expansion and answer is one turn', () => {
    const expansion = user([text('Please greet Bob')], { isMeta: true });
    expect(outline(turns(user(CUSTOM), expansion, assistant('Hello Bob')))).toEqual([
      'slash_command /greet Bob: 1 2 3',
    ]);
  });

  test('H1: also in a 1.0.x copy, which lost the isMeta of the expansion', () => {
    const copied = [user([text(CUSTOM)]), user([text('Please greet Bob')]), assistant('Hello Bob'), user('Thanks')];
    expect(outline(turns(...copied))).toEqual(['slash_command /greet Bob: 1 2 3', 'text Thanks: 4']);
  });

  test('a local command has its caveat and output', () => {
    const lines = [user('one'), assistant('a'), CAVEAT, user(COMMAND), OUTPUT];
    expect(outline(turns(...lines))).toEqual(['text one: 1 2', 'slash_command /cost: 3 4 5']);
    const refused = user('This slash command can only be invoked by Claude, not directly by users.');
    expect(outline(turns(CAVEAT, user('/demo'), refused))).toEqual(['slash_command /demo: 1 2 3']);
  });

  test('E7: a note for the memory file starts none', () => {
    const note = user('<user-memory-input>always use tabs</user-memory-input>');
    expect(outline(turns(user('one'), assistant('a'), note, user('two')))).toEqual(['text one: 1 2 3', 'text two: 4']);
  });

  test('C1: the summary of a compaction starts none', () => {
    const lines = [
      user('one'),
      assistant('a'),
      system('compact_boundary'),
      user('This session is being continued', { isCompactSummary: true }),
      user('two'),
    ];
    expect(outline(turns(...lines))).toEqual(['text one: 1 2 3 4', 'text two: 5']);
  });

  test('E12: a prompt that occurs again starts none; its last content counts', () => {
    const again = { ...user('one, better'), uuid: 'u1' };
    const lines = [user('one'), assistant('a'), user('two'), again];
    expect(outline(turns(...lines))).toEqual(['text one, better: 1 2 4', 'text two: 3']);
  });

  test('E12: any line that occurs again stays with the first', () => {
    const lines = [user('one'), assistant('a', { id: 'm1' }), INTERRUPT, user('two'), assistant('b', { id: 'm2' })];
    const again = { ...assistant('a', { id: 'm1' }), uuid: 'u2' };
    const list = turns(...lines, again);
    expect(outline(list)).toEqual(['text one: 1 2 3 6', 'text two: 4 5']);
    expect(list.map(({ messages }) => messages.map(({ id }) => id))).toEqual([['m1'], ['m2']]);
    expect(list.map(({ state }) => state)).toEqual(['interrupted', 'complete']);
  });

  test('what stands before the first prompt is kept', () => {
    expect(outline(turns(queueOperation('dequeue'), SNAPSHOT, user('one')))).toEqual(['text one: 1 2 3']);
    const cut = turns(assistant('tail', { id: 'm0' }), user('one'));
    expect(outline(cut)).toEqual(['none : 1', 'text one: 2']);
    expect(cut.map(({ number, round, uuid }) => [number, round, uuid])).toEqual([
      [0, 'continue', undefined],
      [1, 'new_session', 'u2'],
    ]);
    expect(outline(turns(SNAPSHOT))).toEqual(['none : 1']);
    expect(turnsOf([])).toEqual([]);
  });

  test('E15: reduced transcripts', () => {
    const entries = entriesOf([
      { sessionId: 's', type: 'user', content: 'read a file' },
      { message: { id: 'm1', role: 'assistant', content: [toolUse('t1', 'Read')] } },
      { type: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'data' }] },
      { message: { id: 'm2', role: 'assistant', content: [text('done')] } },
      { type: 'user', content: 'second question' },
    ]);
    const list = turnsOf(entries);
    expect(outline(list)).toEqual(['text read a file: 1 2 3 4', 'text second question: 5']);
    expect(list[0]).toMatchObject({ state: 'complete', started: undefined, ended: undefined, durationMs: undefined });
  });

  test('L3: an inline sub-agent is part of the turn, its messages are not; alone it has turns of its own', () => {
    const side = (line: JsonObject) => ({ ...line, isSidechain: true });
    const agent = [
      side(user('SUB do')),
      side(assistant(toolUse('t2'), { id: 's1' })),
      side(result('t2')),
      side(assistant('REPORT', { id: 's2' })),
    ];
    const lines = [
      user('one'),
      assistant(toolUse('t1', 'Task'), { id: 'm1', stop: 'tool_use' }),
      ...agent,
      result('t1'),
      assistant('ok', { id: 'm2' }),
    ];
    const [turn, ...more] = turns(...lines);
    expect(more).toEqual([]);
    expect(turn?.entries.length).toBe(8);
    expect(turn?.messages.map(({ id }) => id)).toEqual(['m1', 'm2']);
    expect(turn?.toolCalls.map(({ id }) => id)).toEqual(['t1']);
    expect(turn?.state).toBe('complete');
    const [own] = turns(...agent);
    expect(own).toMatchObject({ kind: 'agent_prompt', state: 'complete', ended: timeOf(3) });
    expect(own?.toolCalls.map(({ id }) => id)).toEqual(['t2']);
  });
});

describe('E9: queued while busy', () => {
  const busy = [user('one'), assistant(toolUse('t1'), { id: 'm1', stop: 'tool_use' })];

  test('known from an attachment (2.1.325)', () => {
    const queue = [queueOperation('enqueue', 'and this'), queueOperation('remove', 'and this')];
    const list = turns(
      ...busy,
      ...queue,
      result('t1'),
      attachment('queued_command', { prompt: 'and this' }),
      assistant('done'),
    );
    expect(outline(list)).toEqual(['text one: 1 2 3 4 5', 'queued and this: 6 7']);
    expect(list.map(({ state, round }) => [state, round])).toEqual([
      ['complete', 'new_session'],
      ['complete', 'new_round'],
    ]);
  });

  test('known from the queue alone (2.0.76–2.1.45): starts where it was handed over', () => {
    const list = turns(
      ...busy,
      queueOperation('enqueue', 'and this'),
      result('t1'),
      queueOperation('remove'),
      assistant('done'),
    );
    expect(outline(list)).toEqual(['text one: 1 2 4', 'queued and this: 3 5 6']);
    expect(list[1]).toMatchObject({ uuid: undefined, started: timeOf(2), state: 'complete' });
  });

  test('print mode queues its own prompt: one turn', () => {
    expect(
      outline(turns(queueOperation('enqueue', 'hi'), queueOperation('dequeue'), user('hi'), assistant('a'))),
    ).toEqual(['text hi: 1 2 3 4']);
  });
});

describe('E4: a message on both sides of a turn start is listed once', () => {
  const start = assistant('let me see', { id: 'm1', requestId: 'r1', stop: null, output: 5 });
  const call = assistant(toolUse('t1'), { id: 'm1', requestId: 'r1', stop: 'tool_use', output: 9 });
  const done = assistant('done', { id: 'm2', requestId: 'r2' });
  const queued = attachment('queued_command', { prompt: 'and this' });

  function listed(list: readonly Turn[]): string[][] {
    return list.map(({ messages }) => messages.map((message) => `${message.id} ${message.entryUuids.join(' ')}`));
  }

  test.each([
    ['a queued prompt', queued],
    ['a plain prompt', user('and this')],
  ])('E4: with %s between its lines', (_, between) => {
    const list = turns(user('one'), start, between, call, result('t1'), done);
    expect(listed(list)).toEqual([['m1 u2 u4'], ['m2 u6']]);
    expect(list[0]?.messages[0]).toMatchObject({
      stopReason: 'tool_use',
      usage: { output: 9 },
      started: timeOf(0),
      ended: timeOf(3),
    });
    expect(list.map(({ toolCalls }) => toolCalls.map(({ id }) => id))).toEqual([[], ['t1']]);
    expect(list.map(({ entries }) => entries.length)).toEqual([2, 4]);
    expect(list[1]?.state).toBe('complete');
  });

  test('E4: the state of a turn that only ends a message shows in that message', () => {
    const list = turns(user('one'), start, queued, assistant('done', { id: 'm1', requestId: 'r1' }));
    expect(listed(list)).toEqual([['m1 u2 u4'], []]);
    expect(list[1]?.state).toBe('complete');
  });

  test('E4, R10: an id that comes again after a prompt is another message, unless the request is the same', () => {
    const again = (requestId?: string) => [assistant('a', { id: 'm1', requestId }), user('two')];
    const twice = [['m1 u2'], ['m1 u4']];
    expect(listed(turns(user('one'), ...again(), assistant('b', { id: 'm1' })))).toEqual(twice);
    expect(listed(turns(user('one'), ...again('r1'), assistant('b', { id: 'm1', requestId: 'r2' })))).toEqual(twice);
    expect(listed(turns(user('one'), ...again('r1'), assistant('b', { id: 'm1' })))).toEqual(twice);
    const scripted = turns(
      user('one'),
      ...again('r1'),
      done,
      user('three'),
      assistant('b', { id: 'm1', requestId: 'r1' }),
    );
    expect(listed(scripted)).toEqual([['m1 u2'], ['m2 u4'], ['m1 u6']]);
  });

  test('E4: a queued prompt parts a message without request ids as little', () => {
    const line = (words: string) => assistant(words, { id: 'm1' });
    expect(listed(turns(user('one'), line('a'), queued, line('b'), queued, line('c')))).toEqual([
      ['m1 u2 u4 u6'],
      [],
      [],
    ]);
    const other = assistant('b', { id: 'm1', requestId: 'r2' });
    expect(listed(turns(user('one'), start, queued, other))).toEqual([['m1 u2'], ['m1 u4']]);
  });
});

describe('T7: when a message starts and ends', () => {
  test('at the prompt or the last result before it, to its last line', () => {
    const lines = [
      user('go'),
      assistant(text('a'), { id: 'm1', stop: null }),
      assistant(toolUse('t1'), { id: 'm1', stop: 'tool_use' }),
      result('t1'),
      assistant('done', { id: 'm2' }),
    ];
    expect(turns(...lines)[0]?.messages).toMatchObject([
      { started: timeOf(0), ended: timeOf(2) },
      { started: timeOf(3), ended: timeOf(4) },
    ]);
  });

  test('E14: at its stored request', () => {
    const request = { type: 'api-request', id: 'q1', timestamp: timeOf(0.5) };
    expect(turns(user('go'), request, assistant('hi', {}, { requestRef: 'q1' }))[0]?.messages[0]?.started).toBe(
      timeOf(0.5),
    );
  });

  test.each([undefined, 'never'])('a missing time takes the nearest in the turn: %s', (timestamp) => {
    const without = { timestamp };
    const [turn] = turns(
      { ...user('go'), ...without },
      { ...assistant('a', { id: 'm1' }), ...without },
      assistant('b', { id: 'm2' }),
    );
    expect(turn).toMatchObject({ started: timeOf(2), ended: timeOf(2), durationMs: 0 });
    expect(turn?.messages).toMatchObject([
      { started: timeOf(2), ended: timeOf(2) },
      { started: timeOf(2), ended: timeOf(2) },
    ]);
  });

  test('E12: the clock may run backwards, nothing starts after it was written', () => {
    const back = turns({ ...user('go'), timestamp: timeOf(9) }, assistant('a'))[0]?.messages[0];
    expect(back).toMatchObject({ started: timeOf(1), ended: timeOf(1) });
  });
});

describe('properties', () => {
  const line = fc.oneof(
    fc
      .constantFrom('one', CUSTOM, COMMAND, '<bash-input>ls</bash-input>', '[Request interrupted by user]')
      .map((content) => user(content)),
    fc.constantFrom('t1', 't2').map((id) => result(id)),
    fc
      .tuple(
        fc.constantFrom('m1', 'm2', undefined),
        fc.constantFrom('t1', 't2', undefined),
        fc.constantFrom('r1', 'r2', undefined),
      )
      .map(([id, call, requestId]) => assistant(call ? toolUse(call) : 'a', { id, requestId })),
    fc.constantFrom<JsonObject>(
      CAVEAT,
      SNAPSHOT,
      { type: 'cost-state' },
      queueOperation('dequeue'),
      queueOperation('remove'),
      queueOperation('enqueue', 'q'),
    ),
    fc.constant(attachment('queued_command', { prompt: 'q' })),
    fc.constant({ ...user('sub'), isSidechain: true }),
    fc.constant<JsonObject>({ type: 'user' }),
    fc.constant<JsonObject>({ nothing: 'known' }),
  );
  const lines = fc.array(
    fc
      .tuple(line, fc.constantFrom<JsonObject>({}, { uuid: 'same' }, { timestamp: 'never' }, { timestamp: undefined }))
      .map(([a, b]) => ({ ...a, ...b })),
  );

  function holdsAll(entries: readonly Entry[]): void {
    const list = turnsOf(entries);
    const held = list.flatMap((turn) => turn.entries);
    expect(held.length).toBe(entries.length);
    expect(new Set(held)).toEqual(new Set(entries));
    listsOnce(list);
  }

  /** E4: no line is in two messages. */
  function listsOnce(list: readonly Turn[]): void {
    const messages = list.flatMap((turn) => turn.messages);
    const lines = messages.flatMap((message) => message.entries);
    expect(new Set(lines).size).toBe(lines.length);
  }

  test('E9: a queued prompt whose removal repeats an id keeps its text', () => {
    const removal = { ...queueOperation('remove'), uuid: 'same' };
    const queued = { ...attachment('queued_command', { prompt: 'q' }), uuid: 'same' };
    holdsAll(conversation([queued, queueOperation('enqueue', 'q'), removal]));
    holdsAll(conversation([queueOperation('enqueue', 'q'), { ...removal, isSidechain: true }]));
  });

  test('every entry belongs to exactly one turn', () => {
    fc.assert(fc.property(lines, (built) => holdsAll(conversation(built))));
  });

  test('on every fixture, damaged ones and fuzzed ones too', () => {
    for (const file of transcriptsBelow(FIXTURES)) holdsAll(readSession(readFileSync(file), file).entries);
    for (const line of readFileSync(join(FIXTURES, 'fuzz.jsonl'), 'utf8').trim().split('\n')) {
      holdsAll(readSession(encode(asString(at(parseJson(line), 'input')) ?? '')).entries);
    }
  });

  test('never throws on damage', () => {
    const damaged = fc.array(fc.oneof(fc.json(), fc.string(), fc.constant('{"type":"user","message":{"content":[')));
    fc.assert(fc.property(damaged, (parts) => holdsAll(readSession(encode(parts.join('\n'))).entries)));
  });
});
