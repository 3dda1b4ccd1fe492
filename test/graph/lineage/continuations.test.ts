import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/format/json.ts';
import { chatsOf } from '../../../src/graph/chat.ts';
import { assistant, chain, result, system, timeOf, toolUse, user } from '../../support/build.ts';
import {
  chatsIn,
  edgeLines,
  flags,
  linked,
  opened,
  sessionOf,
  type TestSession,
  turn,
  withIds,
} from '../../support/sessions.ts';

describe('lineage: continuations', () => {
  const first = () => linked(turn('1', 0, 'A'));
  const second = (more: JsonObject = {}) => {
    const [prompt, ...rest] = turn('2', 100, 'B');
    return [{ parentUuid: null, ...prompt, ...more }, ...rest];
  };
  const edges = (sessions: readonly TestSession[]) => chatsOf(sessions).flatMap(edgeLines);
  const order = (sessions: readonly TestSession[]) => {
    const [chat] = chatsIn(sessions);
    return (
      chat &&
      opened(sessions, chat)
        .entriesOf()
        .map(({ head }) => head.uuid)
    );
  };
  const all = ['q-1', 'a-1', 'q-2', 'a-2'];

  test('H4: the first entry has the id of another session, which is then part of the chat', () => {
    const sessions = [sessionOf('B', second({ sessionId: 'A' })), sessionOf('A', first())];
    expect(edges(sessions)).toEqual(['A → B continue/first session id/likely']);
    expect(order(sessions)).toEqual(all);
    expect(chatsIn(sessions)).toMatchObject([{ id: 'A', head: 'B', title: 'Q 1', turns: 2 }]);
    expect(chatsIn(sessions).map(flags)).toEqual([{ A: 'taken up', B: 'leaf' }]);
  });

  test('H4: with the parent in the other session it is certain', () => {
    const both = [sessionOf('A', first()), sessionOf('B', second({ sessionId: 'A', parentUuid: 'a-1' }))];
    expect(edges(both)).toEqual(['A → B continue/first session id/certain']);
    const parent = [sessionOf('A', first()), sessionOf('B', second({ parentUuid: 'a-1' }))];
    expect(edges(parent)).toEqual(['A → B continue/parentUuid/certain']);
    expect(order(parent)).toEqual(all);
  });

  test('H4: a file that never uses its own id is only guessed to continue another', () => {
    const sessions = [
      sessionOf('A', first()),
      sessionOf(
        'B',
        withIds(second(), () => 'A'),
      ),
    ];
    expect(edges(sessions)).toEqual(['A → B continue/first session id/guess']);
    expect(chatsOf(sessions)).toHaveLength(2);
  });

  test('H4: the id of a session that is not there says nothing', () => {
    expect(edges([sessionOf('B', second({ sessionId: 'gone' }))])).toEqual([]);
  });

  const plan = '# Plan\n\n1. Do it';
  const proposed = (id: string, second_ = 0) => {
    const lines = [
      ...turn('1', second_, id),
      assistant(
        toolUse('t1', 'ExitPlanMode', { plan }),
        { id: 'm-p' },
        { uuid: `p-${id}`, timestamp: timeOf(second_ + 2), sessionId: id },
      ),
      result('t1', 'approved', { uuid: `r-${id}`, timestamp: timeOf(second_ + 3), sessionId: id }),
    ];
    return sessionOf(id, linked(lines.map((line) => ({ cwd: '/w', ...line }))));
  };
  const started = (id: string, cwd = '/w') => sessionOf(id, second({ planContent: `${plan}\n`, sessionId: id, cwd }));

  test('H4: a plan approved with "clear context" joins the session that proposed it', () => {
    const sessions = [started('B'), proposed('A')];
    expect(edges(sessions)).toEqual(['A → B continue/plan content/likely']);
    expect(order(sessions)).toEqual(['q-1', 'a-1', 'p-A', 'r-A', 'q-2', 'a-2']);
  });

  test('H4: the same plan proposed by two chats, or in another project, is a guess and joins nothing', () => {
    const other = sessionOf('C', proposed('C', 20).entries.length > 0 ? renamed('C') : []);
    expect(edges([proposed('A'), other, started('B')])).toEqual(['C → B continue/plan content/guess']);
    expect(edges([proposed('A'), started('B', '/elsewhere')])).toEqual(['A → B continue/plan content/guess']);
    expect(chatsOf([proposed('A'), other, started('B')])).toHaveLength(3);
  });

  function renamed(id: string): JsonObject[] {
    const call = assistant(toolUse('t1', 'ExitPlanMode', { plan }), { id: 'm-c' });
    return chain([user('Other question'), call], { sessionId: id, cwd: '/w' }).map((line, index) => ({
      ...line,
      uuid: `${id}-${index}`,
      parentUuid: index === 0 ? null : `${id}-0`,
      timestamp: timeOf(20 + index),
    }));
  }

  test('C1: a compaction whose first part lies in another file', () => {
    const compacted = chain(
      [
        system('compact_boundary', { parentUuid: null, logicalParentUuid: 'a-1' }),
        user('This session is being continued from a previous conversation', { isCompactSummary: true }),
        user('Q 2'),
      ],
      { sessionId: 'B' },
    ).map((line, index) => ({ ...line, timestamp: timeOf(100 + index) }));
    const sessions = [sessionOf('B', compacted), sessionOf('A', first())];
    expect(edges(sessions)).toEqual(['A → B compaction/logicalParent/certain']);
    expect(order(sessions)).toEqual(['q-1', 'a-1', 'u1', 'u2', 'u3']);
    expect(chatsIn(sessions).map(flags)).toEqual([{ A: 'taken up', B: 'leaf' }]);
  });

  test('E11: a summary in another file is the title of the chat that holds its leaf; it joins nothing', () => {
    const summary = { type: 'summary', summary: 'Title of A', leafUuid: 'a-1' };
    const sessions = [sessionOf('B', [summary, ...second()]), sessionOf('A', first())];
    expect(chatsOf(sessions).map(({ id, title }) => [id, title])).toEqual([
      ['B', 'Q 2'],
      ['A', 'Title of A'],
    ]);
    expect(edges(sessions)).toEqual(['A → B summary/leafUuid/guess']);
  });
});
