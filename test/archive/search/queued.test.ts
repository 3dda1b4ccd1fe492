/** E9: prompts typed while the model was busy. What the conversation shows is found, and each of them once. */
import { appendFileSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rebuildIndex, updateIndex } from '../../../src/archive/index/textindex.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { readSession } from '../../../src/format/session.ts';
import { promptTextOf, turnsOf } from '../../../src/graph/turns.ts';
import { assistant, attachment, queueOperation, text, toJsonl, user, uuidOf } from '../../support/build.ts';
import { FORK, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';
import { inFiles, inIndex, type Searchable, searchable, searchableRoot } from './helpers.ts';

const RECORDED = join(import.meta.dirname, '../../fixtures/recorded');
const NAME = `${PLACE}/${SESSION}.jsonl`;
const TYPED = 'mind the quokka';
const at = (number: number, line: JsonObject): JsonObject => ({
  ...line,
  uuid: uuidOf(number),
  timestamp: `2026-01-0${number}T10:00:00Z`,
  sessionId: SESSION,
});
const queue = (operation: string, content?: string, second = 0): JsonObject => ({
  ...queueOperation(operation, content),
  timestamp: `2026-01-09T10:00:0${second}Z`,
  sessionId: SESSION,
});
const START = [at(1, user('go')), at(2, assistant([text('at it')]))];
const handedOver = (number: number, prompt: string) => ({
  ...at(number, attachment('queued_command', {})),
  attachment: { type: 'queued_command', prompt, commandMode: 'prompt' },
});

/** Uuids of what is found, by the index as it was made on the way, as it is made anew, and in the files. */
function found({ find, archive }: Searchable, query: string): (string | undefined)[] {
  const uuids = () => find(query).hits.map(({ uuid }) => uuid);
  const before = uuids();
  rebuildIndex(archive);
  expect(uuids()).toEqual(before);
  return before;
}

function grow({ archive, root }: Searchable, ...lines: JsonObject[]): void {
  appendFileSync(join(root, NAME), toJsonl(lines));
  syncRoot(archive, root);
  updateIndex(archive);
}

describe('E9: a prompt that was typed while the model was busy', () => {
  test.each<[string, JsonObject[], (string | undefined)[]]>([
    ['stands only in the queue (2.0.76)', [queue('enqueue', TYPED), queue('remove')], [undefined]],
    ['waits still', [queue('enqueue', TYPED)], [undefined]],
    ['was handed over as a prompt', [queue('enqueue', TYPED), queue('dequeue'), at(3, user(TYPED))], [uuidOf(3)]],
    ['was handed over among others', [queue('enqueue', TYPED), at(3, user(`this\n${TYPED}`))], [uuidOf(3)]],
    ['is an attachment (2.1.325)', [queue('enqueue', TYPED), queue('remove'), handedOver(3, TYPED)], [uuidOf(3)]],
    ['was taken back', [queue('enqueue', TYPED), queue('popAll')], []],
    ['is no prompt', [queue('enqueue', `<task-notification>${TYPED}</task-notification>`), queue('remove')], []],
    [
      'is one of two',
      [queue('enqueue', TYPED), queue('enqueue', TYPED, 1), queue('dequeue', undefined, 2)],
      [undefined],
    ],
    ['was typed twice', [queue('enqueue', TYPED), queue('enqueue', TYPED, 1)], [undefined, undefined]],
  ])('%s', (_, lines, uuids) => {
    const session = searchable({ [NAME]: toJsonl([...START, ...lines]) });
    expect(found(session, 'quokka')).toEqual(uuids);
    expect(found(session, '"mind the quok"* in:prompt role:user')).toEqual(uuids);
    expect(found(session, 'quokka -in:prompt')).toEqual([]);
    expect(inFiles(session.root, '~quokka').total).toBe(uuids.length);
    expect(inFiles(session.root, '/quok+a/ in:prompt').total).toBe(uuids.length);
  });

  test('is a hit of its session, with its text and time', () => {
    const session = searchable({ [NAME]: toJsonl([...START, queue('enqueue', TYPED), queue('remove')]) });
    const [hit] = session.find('quokka').hits;
    const time = '2026-01-09T10:00:00Z';
    expect(hit).toMatchObject({ session: SESSION, role: 'user', where: 'prompt', snippet: TYPED, time });
    expect(session.find('quokka after:2026-01-09').total).toBe(1);
    expect(session.find('quokka before:2026-01-09').total).toBe(0);
  });

  test('is another one in another session', () => {
    const other = toJsonl([...START, queue('enqueue', TYPED, 1)].map((line) => ({ ...line, sessionId: FORK })));
    const session = searchable({
      [NAME]: toJsonl([...START, queue('enqueue', TYPED)]),
      [`${PLACE}/${FORK}.jsonl`]: other,
    });
    const sessions = session.find('quokka').hits.map((hit) => hit.session);
    expect(sessions.toSorted()).toEqual([SESSION, FORK]);
    expect(found(session, `quokka session:${FORK}`)).toEqual([undefined]);
  });
});

describe('E9: a session that goes on after its prompt was indexed', () => {
  test.each<[string, JsonObject[], (string | undefined)[]]>([
    ['hands it over', [queue('dequeue'), at(3, user(TYPED))], [uuidOf(3)]],
    ['puts it beside others', [at(3, user(`and ${TYPED}`))], [uuidOf(3)]],
    ['takes it in', [queue('remove')], [undefined]],
    ['takes it in and shows it', [queue('remove'), handedOver(3, TYPED)], [uuidOf(3)]],
    ['drops it', [queue('popAll')], []],
    ['speaks of something else', [at(3, user('and now')), at(4, user('this'))], [undefined]],
  ])('%s', (_, more, uuids) => {
    const session = searchable({ [NAME]: toJsonl([...START, queue('enqueue', TYPED)]) });
    const { root, archive } = session;
    // What changed is read beside the index, which knows the prompt as it was.
    appendFileSync(join(root, NAME), toJsonl(more));
    expect(inIndex(archive, root, 'quokka').hits.map(({ uuid }) => uuid)).toEqual(uuids);
    expect(inIndex(archive, root, 'quokka').total).toBe(uuids.length);
    grow(session, at(5, assistant([text('done')])));
    expect(found(session, 'quokka')).toEqual(uuids);
    expect(found(session, 'done')).toEqual([uuidOf(5)]);
  });

  test('together with a copy of it that is taken first', () => {
    const session = searchable({ [NAME]: toJsonl([...START, queue('enqueue', TYPED)]) });
    const { root, archive, find } = session;
    syncRoot(archive, root, { derive: true });
    const more = [queue('dequeue', undefined, 1), at(3, user(TYPED))];
    appendFileSync(join(root, NAME), toJsonl(more));
    const copy = [...START, queue('enqueue', TYPED), ...more].map((line) => ({ ...line, sessionId: FORK }));
    rootOf({ [`projects/-a/${FORK}.jsonl`]: toJsonl(copy) }, root);
    syncRoot(archive, root, { derive: true });
    expect(find('quokka').hits.map(({ uuid }) => uuid)).toEqual([uuidOf(3)]);
    expect(found(session, 'quokka')).toEqual([uuidOf(3)]);
  });

  test('written anew, with lines of before that it had already', () => {
    const early = [queue('enqueue', 'a wombat', 1), queue('dequeue', undefined, 2), at(3, user('a wombat'))];
    const session = searchable({ [NAME]: toJsonl([...early, queue('enqueue', TYPED)]) });
    const { root, archive, find } = session;
    rootOf({ [NAME]: toJsonl([at(1, user('first')), ...early, queue('enqueue', TYPED)]) }, root);
    syncRoot(archive, root, { derive: true });
    expect(find('quokka').total).toBe(1);
    expect(found(session, 'quokka')).toHaveLength(1);
  });

  test('line by line, with what others share a number with it', () => {
    const session = searchable({ [NAME]: toJsonl([...START, queue('enqueue', TYPED)]) });
    grow(session, queue('enqueue', 'a wombat', 1));
    grow(session, queue('dequeue', undefined, 2), at(3, user('numbat')));
    expect(session.find('quokka').total).toBe(0);
    expect(session.find('wombat').total).toBe(1);
    grow(session, queue('remove', undefined, 3));
    grow(session, handedOver(4, 'a wombat'));
    grow(session, at(5, assistant([text('bilby')])));
    for (const word of ['wombat', 'numbat', 'bilby']) expect(found(session, word)).toHaveLength(1);
    expect(found(session, 'in:prompt')).toHaveLength(3);
  });
});

test.each(['\0 a quokka', 'half \ud83d of a quokka'])('E9: %j is known again when its session goes on', (typed) => {
  const session = searchable({ [NAME]: toJsonl([...START, queue('enqueue', typed)]) });
  grow(session, at(3, user('something else')));
  expect(found(session, 'quokka')).toEqual([undefined]);
  grow(session, at(4, user(typed)));
  expect(found(session, 'quokka')).toEqual([uuidOf(4)]);
});

describe.each(['2.0.76', '2.1.45'])('E9: as recorded with %s', (version) => {
  test('what a person typed is found as often as the conversation has it', () => {
    const { find } = searchableRoot(join(RECORDED, version, 'k-interactive'));
    expect(find('"QUEUED MESSAGE while busy" in:prompt role:user').total).toBe(1);
  });
});

test('E7, E9: whatever begins a turn of a recorded session is found as a prompt of a person', () => {
  const missed: string[] = [];
  for (const version of ['2.0.76', '2.1.45', '2.1.325']) {
    for (const place of globSync(join(RECORDED, version, '*k-interactive*/projects'))) {
      const session = searchableRoot(join(place, '..'));
      const prompts = new Set(
        globSync(join(place, '*/*.jsonl')).flatMap((file) =>
          turnsOf(readSession(readFileSync(file)).entries).map(promptTextOf),
        ),
      );
      for (const prompt of prompts) {
        const words = prompt
          .match(/[a-z]{3,}/gi)
          ?.slice(0, 3)
          .join(' ');
        if (words && session.find(`${words} in:prompt role:user`).total === 0) missed.push(`${place} ${prompt}`);
      }
    }
  }
  expect(missed).toEqual([]);
}, 60_000);

/** Lines by what they do, with texts that hold each other. */
const step = fc.record({
  does: fc.constantFrom('enqueue', 'enqueue', 'enqueue', 'dequeue', 'remove', 'removeThis', 'popAll', 'user', 'attach'),
  words: fc.constantFrom('quokka', 'quokka wombat', 'wombat', '<task-notification>quokka</task-notification>'),
  isLast: fc.boolean(),
});

test('E9: whatever the queue did, and whenever it was indexed: what is found is what the turns have', () => {
  const property = fc.property(fc.array(step, { minLength: 1, maxLength: 14 }), (steps) => {
    const lines = steps.map(({ does, words }, place): JsonObject => {
      const number = place + 10;
      const own = { timestamp: `2026-01-09T10:00:${number}Z`, sessionId: SESSION };
      if (does === 'user') return { ...user(words), ...own, uuid: uuidOf(number) };
      if (does === 'attach') return { ...handedOver(1, words), ...own, uuid: uuidOf(number) };
      if (does === 'removeThis') return { ...queueOperation('remove', words), ...own };
      return { ...queueOperation(does, does === 'enqueue' ? words : undefined), ...own };
    });
    const session = searchable({ [NAME]: toJsonl(START) });
    let waiting: JsonObject[] = [];
    for (const [place, line] of lines.entries()) {
      waiting.push(line);
      if (!steps[place]?.isLast && place < lines.length - 1) continue;
      grow(session, ...waiting);
      waiting = [];
    }
    const turns = turnsOf(readSession(readFileSync(join(session.root, NAME))).entries);
    const typed = turns.map(promptTextOf).filter((prompt) => prompt.includes('quokka'));
    expect(found(session, 'quokka in:prompt')).toHaveLength(typed.length);
    expect(inFiles(session.root, '~quokka in:prompt').total).toBe(typed.length);
  });
  fc.assert(property, { numRuns: 8 });
}, 120_000);
