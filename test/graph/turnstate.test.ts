import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import type { Circumstances } from '../../src/graph/turnstate.ts';
import type { Turn } from '../../src/graph/types.ts';
import {
  assistant,
  attachment,
  chain,
  conversation,
  entriesOf,
  progress,
  queueOperation,
  result,
  synthetic,
  system,
  text,
  timeOf,
  toolUse,
  user,
} from '../support/build.ts';

const COMMAND =
  '<command-name>/cost</command-name><command-message>cost</command-message><command-args></command-args>';
const CUSTOM =
  '<command-message>greet</command-message><command-name>/greet</command-name><command-args>Bob</command-args>';
const INTERRUPT = user([text('[Request interrupted by user]')]);
const SNAPSHOT = { type: 'file-history-snapshot', messageId: 'u1' };

function turns(...lines: JsonObject[]): Turn[] {
  return turnsOf(conversation(lines));
}

function last(lines: readonly JsonObject[], circumstances: Circumstances = {}): Turn | undefined {
  return turnsOf(conversation(lines), circumstances).at(-1);
}

describe('T6: is it over', () => {
  const asked = user('go');
  const ran = [assistant(toolUse('t1'), { id: 'm1', stop: 'tool_use' }), result('t1')];
  const silent = [asked, assistant('hi', { stop: null, output: 1 })];

  test.each([
    ['complete', 'its last message ended', [asked, assistant('hi')]],
    ['complete', 'cut at the limit', [asked, assistant('hi', { stop: 'max_tokens' })]],
    ['complete', 'an API error ended it', [asked, synthetic('API Error', { isApiErrorMessage: true })]],
    ['complete', 'a local command', [user(COMMAND)]],
    ['complete', 'a bash line', [user('<bash-input>ls</bash-input>'), user('<bash-stdout>a</bash-stdout>')]],
    ['open', 'no answer yet', [asked]],
    ['open', 'a custom command without its answer', [user(CUSTOM), user([text('x')], { isMeta: true })]],
    ['open', 'a tool is running', [asked, assistant(toolUse('t1'), { stop: 'tool_use' })]],
    ['open', 'the result is not answered yet', [asked, ...ran]],
    ['open', 'a notification is not answered yet', [asked, assistant('hi'), user('<task-notification>x')]],
    ['interrupted', 'before an answer', [asked, INTERRUPT]],
    [
      'interrupted',
      'in a tool',
      [
        asked,
        assistant(toolUse('t1'), { id: 'm1', stop: 'tool_use' }),
        result('t1', 'x', { isError: true, toolDenialKind: 'interrupted' }),
      ],
    ],
    [
      'complete',
      'it went on after an interruption',
      [asked, INTERRUPT, user('<task-notification>x'), assistant('noted')],
    ],
    ['open', 'stop reasons missing, nothing follows', silent],
    ['complete', 'stop reasons missing, turn_duration', [...silent, system('turn_duration')]],
    ['complete', 'stop reasons missing, a Stop hook', [...silent, system('stop_hook_summary')]],
  ] satisfies [string, string, JsonObject[]][])('%s: %s', (state, _, lines) => {
    expect(last(lines)?.state).toBe(state);
  });

  test('stop reasons missing: a later turn, ten quiet minutes or the Stop event end it', () => {
    expect(turns(...silent, user('next'))[0]?.state).toBe('complete');
    expect(last(silent, { now: Date.parse(timeOf(1 + 600)) })?.state).toBe('open');
    expect(last(silent, { now: Date.parse(timeOf(1 + 601)) })?.state).toBe('complete');
    expect(last(silent, { stopped: true })?.state).toBe('complete');
    expect(last([asked, ...ran], { stopped: true, now: Date.parse(timeOf(9999)) })?.state).toBe('open');
  });

  test('unfinished and left behind is interrupted', () => {
    for (const lines of [[asked], [asked, assistant(toolUse('t1'), { stop: 'tool_use' })], [asked, ...ran]]) {
      expect(turns(...lines, user('next'))[0]?.state).toBe('interrupted');
    }
  });

  test('R13: what the client writes on resume does not complete it', () => {
    const killed = [
      asked,
      assistant(toolUse('t1'), { stop: 'tool_use' }),
      synthetic('No response requested.'),
      user('next'),
    ];
    expect(turns(...killed)[0]).toMatchObject({ state: 'interrupted', ended: timeOf(1) });
  });
});

describe('round', () => {
  const first = [user('one'), assistant('a', { id: 'm1' })];
  function rounds(...lines: JsonObject[]): string[] {
    return turns(...lines).map(({ round }) => round);
  }

  test('the first prompt is a new session, the next a new round', () => {
    expect(rounds(...first, user('two'))).toEqual(['new_session', 'new_round']);
    expect(rounds(...first, user('two', { permissionMode: 'default' }))).toEqual(['new_session', 'new_round']);
  });

  test('a pause of more than five minutes makes it a resume', () => {
    expect(rounds(...first, user('two', { timestamp: timeOf(1 + 300) }))[1]).toBe('new_round');
    expect(rounds(...first, user('two', { timestamp: timeOf(1 + 301) }))[1]).toBe('resume');
  });

  test.each([
    ['another version', [], { version: '2.1.999' }],
    ['another session id (H1)', [], { sessionId: 'session-2' }],
    ['a SessionStart hook (2.1.45)', [progress({ type: 'hook_progress', hookName: 'SessionStart:resume' })], {}],
    ['a SessionStart hook (2.1.325)', [attachment('hook_success', { hookName: 'SessionStart:resume' })], {}],
    ['a SessionStart hook (1.0.111)', [user('<session-start-hook>hi</session-start-hook>')], {}],
    ['R13: the client closed the turn before', [synthetic('No response requested.')], {}],
    ['the client had exited (≥2.1.290)', [{ type: 'cost-state' }], {}],
    ['print mode', [queueOperation('enqueue', 'two'), queueOperation('dequeue')], { entrypoint: 'sdk-cli' }],
    ['print mode (2.0.76–2.1.45)', [queueOperation('dequeue')], {}],
  ] satisfies [string, JsonObject[], JsonObject][])('a later run: %s', (_, between, more) => {
    expect(rounds(...first, ...between, user('two', more))).toEqual(['new_session', 'resume']);
  });

  test.each([
    ['a hook of another kind', [progress({ type: 'hook_progress', hookName: 'PostToolUse:Read' })], {}],
    ['a compaction', [attachment('hook_success', { hookName: 'SessionStart:compact' })], {}],
    ['a host that keeps the client running', [queueOperation('dequeue'), SNAPSHOT], {}],
    ['the same, by its name', [queueOperation('dequeue')], { entrypoint: 'claude-vscode' }],
  ] satisfies [string, JsonObject[], JsonObject][])('the same run: %s', (_, between, more) => {
    expect(rounds(...first, ...between, user('two', more))).toEqual(['new_session', 'new_round']);
  });

  test('H1: after what a 1.0.x resume copied', () => {
    const copied = (line: JsonObject) => ({ ...line, timestamp: timeOf(0) });
    const lines = [...first, user('two'), assistant('b', { id: 'm2' })].map(copied);
    const own = [user('three', { timestamp: timeOf(0.007) }), assistant('c', { id: 'm3' }, { timestamp: timeOf(1) })];
    const list = turnsOf(conversation([...lines, ...own], { version: '1.0.111' }));
    expect(list.map(({ round }) => round)).toEqual(['new_session', 'new_round', 'resume']);
  });

  test('H1: a fork that rewrote every id: the queue at the top of its file is later than what it copied', () => {
    const at = (line: JsonObject, second: number) => ({ ...line, timestamp: timeOf(second) });
    const queue = (second: number) => [
      at(queueOperation('enqueue', 'x'), second),
      at(queueOperation('dequeue'), second),
    ];
    const lines = [...first, user('two'), assistant('b', { id: 'm2' }), user('three'), assistant('c', { id: 'm3' })];
    const timed = lines.map((line, second) => at(line, second));
    expect(rounds(...queue(-1), ...timed)).toEqual(['new_session', 'new_round', 'new_round']);
    expect(rounds(...queue(3.5), ...timed)).toEqual(['new_session', 'new_round', 'resume']);
    expect(rounds(...queue(9), ...timed)).toEqual(['new_session', 'new_round', 'new_round']);
  });

  test('C1: a file that begins with a compaction goes on with an older chat', () => {
    const compacted = [
      system('compact_boundary'),
      user('This session …', { isCompactSummary: true }),
      assistant('a', { id: 'm1' }),
    ];
    expect(rounds(...compacted, user('two'))).toEqual(['continue', 'new_round']);
    expect(rounds(...compacted, { type: 'cost-state' }, user('two'))).toEqual(['continue', 'resume']);
    const copied = compacted.map((line) => ({ ...line, timestamp: timeOf(0) }));
    const own = [user('two', { timestamp: timeOf(0.01) }), assistant('b', { id: 'm2' }, { timestamp: timeOf(1) })];
    const list = turnsOf(conversation([...copied, ...own], { version: '1.0.111' }));
    expect(list.map(({ round }) => round)).toEqual(['continue', 'resume']);
    expect(rounds(assistant('a', { id: 'm1' }), user('two'))).toEqual(['continue', 'new_session']);
  });

  test('H4: the id of the session that a file continues, on its first line only, is no later run', () => {
    const foreign = user('one', { sessionId: 'session-0' });
    const answer = assistant('a', { id: 'm1' });
    expect(rounds(foreign, answer, user('two'), user('three'))).toEqual(['new_session', 'new_round', 'new_round']);
    expect(rounds(foreign, { ...answer, sessionId: 'session-0' }, user('two'))[1]).toBe('resume');
    expect(rounds(foreign, user('two'))[1]).toBe('resume');
    const later = [foreign, answer, user('two', { sessionId: 'session-0' }), answer, user('three')];
    expect(rounds(...later)).toEqual(['new_session', 'new_round', 'resume']);
  });

  test('H1: in another file', () => {
    const one = entriesOf(chain(first), 'a');
    const two = entriesOf(chain([user('two', { uuid: 'x' })]), 'b');
    expect(turnsOf([...one, ...two]).map(({ round }) => round)).toEqual(['new_session', 'resume']);
  });
});
