import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toIdList } from '../../src/format/idlist.ts';
import { asObject, type JsonObject } from '../../src/format/json.ts';
import { chatsOf } from '../../src/graph/chat.ts';
import { lineageOf, type SessionFacts } from '../../src/graph/lineage.ts';
import { outlineOf } from '../../src/graph/outline.ts';
import { timeOf } from '../support/build.ts';
import { chatsIn, linked, opened, sessionOf, type TestSession, turn } from '../support/sessions.ts';

describe('lineage: properties', () => {
  interface Plan {
    readonly source: number;
    readonly cut: number;
    readonly own: number;
    readonly style: 'print' | 'interactive' | 'open' | 'forkedFrom' | 'renamed' | 'new';
  }
  const plans = fc.array(
    fc.record<Plan>({
      source: fc.nat(),
      cut: fc.nat(),
      own: fc.integer({ min: 1, max: 3 }),
      style: fc.constantFrom('print', 'interactive', 'open', 'forkedFrom', 'renamed', 'new'),
    }),
    { minLength: 1, maxLength: 12 },
  );

  interface Made {
    readonly id: string;
    readonly lines: readonly JsonObject[];
    readonly root: number;
    /** The session expected as parent. */
    readonly parent: string | undefined;
  }

  /** A history of sessions as clients would write it, with the truth about it. */
  function history(list: readonly Plan[]): Made[] {
    const made: Made[] = [];
    for (const [index, { source, cut, own, style }] of list.entries()) {
      const id = `s${index}`;
      const time = index * 1_000;
      const from = style === 'new' ? undefined : made[source % Math.max(1, made.length)];
      const whole = from?.lines ?? [];
      const copied = whole.slice(0, cut % 3 === 0 ? Math.max(1, cut % (whole.length + 1)) : whole.length);
      const copies = copied.map((line) => copyLine(line, id, style, time));
      const last = copies.at(-1)?.uuid ?? null;
      const turns = Array.from({ length: own }, (_, i) => turn(`${index}-${i}`, time + 10 * (i + 1), id)).flat();
      const lines = [...copies, ...linked([{ uuid: last }, ...turns]).slice(1)];
      const forked = style === 'forkedFrom' || style === 'renamed';
      const writer = copied.at(-1)?.uuid;
      const origin = made.find((each) => each.lines.some((line) => originalOf(line) === originalOf({ uuid: writer })));
      made.push({
        id,
        lines,
        root: from === undefined ? index : from.root,
        parent: from === undefined ? undefined : forked ? from.id : origin?.id,
      });
    }
    return made;
  }

  function originalOf(line: JsonObject): string {
    return String(line.uuid).replace(/^(?:s\d+:)+/, '');
  }

  function copyLine(line: JsonObject, id: string, style: Plan['style'], time: number): JsonObject {
    const { forkedFrom: _, ...plain } = line;
    switch (style) {
      case 'print':
        return { ...plain, sessionId: id, timestamp: timeOf(time) };
      case 'interactive':
        return line.type === 'assistant' ? { ...plain, sessionId: id, timestamp: timeOf(time) } : plain;
      case 'open':
        return plain;
      default: {
        const named = (uuid: JsonObject[string]) =>
          style === 'renamed' && typeof uuid === 'string' ? `${id}:${uuid}` : uuid;
        const forkedFrom = { sessionId: '', messageUuid: line.uuid };
        return { ...plain, uuid: named(line.uuid), parentUuid: named(line.parentUuid), sessionId: id, forkedFrom };
      }
    }
  }

  /** `forkedFrom` names the session the copy was made of. */
  function toSessions(made: readonly Made[]): TestSession[] {
    return made.map(({ id, lines, parent }) =>
      sessionOf(
        id,
        lines.map((line) => {
          const fork = asObject(line.forkedFrom);
          return fork === undefined ? line : { ...line, forkedFrom: { ...fork, sessionId: parent } };
        }),
      ),
    );
  }

  test('H1, H2: chats, parents and superseded files of any history; the order of the files does not matter', () => {
    fc.assert(
      fc.property(plans, fc.infiniteStream(fc.nat()), (list, random) => {
        const made = history(list);
        const sessions = toSessions(made)
          .map((session) => ({ session, key: Number(random.next().value) }))
          .sort((a, b) => a.key - b.key)
          .map(({ session }) => session);
        const lineage = lineageOf(sessions);
        const idOf = (index: number) => sessions[index]?.id ?? '';
        const chats = lineage.chats.map((chat) => chat.map(idOf).sort().join(' ')).sort();
        const roots = new Map<number, string[]>();
        for (const { id, root } of made) roots.set(root, [...(roots.get(root) ?? []), id]);
        expect(chats).toEqual([...roots.values()].map((ids) => ids.sort().join(' ')).sort());

        const found = new Map(lineage.links.map(({ from, to }) => [idOf(to), idOf(from)]));
        for (const { id, parent } of made) expect([id, found.get(id)]).toEqual([id, parent]);

        const idsOf = (each: Made) => new Set(each.lines.map(originalOf));
        for (const [index, session] of sessions.entries()) {
          const own = made.find(({ id }) => id === session.id);
          const isIn = made.some(
            (other) => other !== own && own?.lines.every((line) => idsOf(other).has(originalOf(line))),
          );
          expect([session.id, lineage.superseded[index]]).toEqual([session.id, isIn]);
        }
        expect(lineage.chats.map((chat) => idOf(chat[0] ?? -1)).sort()).toEqual(
          [...roots.keys()].map((root) => `s${root}`).sort(),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('H2: opened, every entry of a chat is in one place; each leaf session is a branch', () => {
    fc.assert(
      fc.property(plans, (list) => {
        const made = history(list);
        const sessions = toSessions(made);
        for (const chat of chatsIn(sessions)) {
          const open = opened(sessions, chat);
          const own = made.filter(({ id }) => chat.sessions.some((session) => session.id === id));
          const written = new Set(own.flatMap(({ lines }) => lines.map(originalOf)));
          expect(open.entries.map(({ head }) => originalOf({ uuid: head.uuid })).sort()).toEqual([...written].sort());
          const reached = new Set(open.branches.flatMap((branch) => open.entriesOf(branch)));
          expect(reached.size).toBe(open.entries.length);
          for (const { id, leaf } of chat.sessions) if (leaf) expect(open.branchOf(id)).toBeDefined();
          for (const { id } of chat.sessions.filter(({ leaf }) => leaf)) {
            const branch = open.branchOf(id);
            const conversation = branch && open.entriesOf(branch).map(({ head }) => originalOf({ uuid: head.uuid }));
            expect(conversation).toEqual(own.find((each) => each.id === id)?.lines.map(originalOf));
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test('never throws on outlines of anything', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd');
    const anyLine = fc.record(
      {
        type: fc.constantFrom('user', 'assistant', 'system', 'summary'),
        uuid: word,
        parentUuid: fc.oneof(word, fc.constant(null)),
        sessionId: word,
        subtype: fc.constant('compact_boundary'),
        logicalParentUuid: word,
        leafUuid: word,
        summary: word,
        forkedFrom: fc.record({ sessionId: word, messageUuid: word }),
        timestamp: fc.constantFrom('2026-01-01T00:00:01Z', 'never', '2026-01-01T00:00:02Z'),
        planContent: word,
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.array(anyLine, { maxLength: 6 })), { maxLength: 6 }), (files) => {
        const sessions = files.map(([id, lines], index) => ({
          ...sessionOf(id, JSON.parse(JSON.stringify(lines))),
          file: `${index}.jsonl`,
        }));
        const chats = chatsOf(sessions);
        expect(chats.flatMap((chat) => chat.sessions.map(({ file }) => file)).sort()).toEqual(
          sessions.map(({ file }) => file).sort(),
        );
        for (const chat of chats) opened(sessions, chat).entriesOf();
      }),
      { numRuns: 500 },
    );
  });

  test('linear: 5,000 sessions, a hundred resumed fifty times each', () => {
    const empty = outlineOf([]);
    const build = (count: number): SessionFacts[] =>
      Array.from({ length: count }, (_, s) => {
        const root = s - (s % 50);
        const uuids = toIdList(Array.from({ length: 20 + (s % 50) * 2 }, (__, i) => `${root}-${i}`));
        const lineage = { ...empty.lineage, opened: timeOf(s) };
        const outline = { ...empty, uuids, lineage, sessionIds: [`s${s}`], started: timeOf(s), updated: timeOf(s) };
        return { id: `s${s}`, file: `${s}.jsonl`, bytes: 1, outline };
      });
    const visits = (sessions: readonly SessionFacts[]) => {
      let count = 0;
      const chats = chatsOf(sessions, () => {
        count += 1;
      });
      return {
        count,
        chats: chats.length,
        uuids: sessions.reduce((sum, { outline }) => sum + outline.uuids.count, 0),
      };
    };
    const large = visits(build(5_000));
    expect(large.chats).toBe(100);
    expect(large.count).toBeLessThan(large.uuids * 4);
  });
});
