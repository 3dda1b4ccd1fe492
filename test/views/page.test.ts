/** The viewer's page model over what the client left: nothing is lost, nothing is shown twice, everything can be found again. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import type { Chat } from '../../src/graph/chat.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import type { Turn } from '../../src/graph/types.ts';
import { itemsOf } from '../../src/views/items.ts';
import {
  callPage,
  chatPage,
  findEntry,
  forksOf,
  type PageOptions,
  type PageTurn,
  pageTurn,
  turnHead,
} from '../../src/views/page/index.ts';
import type { ChatPage } from '../../src/views/page/types.ts';
import { assistant, chain, image, result, system, text, toolUse, user } from '../support/build.ts';
import { chatRow } from '../support/chatrow.ts';
import { FIXTURES } from '../support/files.ts';
import { chatsIn, linked, onlyChat, opened, sessionOf, sessionsIn, turn } from '../support/sessions.ts';

const ROW = chatRow({ id: 'c', project: '/work' });

function pageOf(chat: Chat, branch = chat.current, options: PageOptions = {}): ChatPage {
  const turns = turnsOf(chat.entriesOf(branch));
  const resume = { command: null, reason: null };
  return chatPage({ chat, row: ROW, version: '1', branch, turns, sourceOf: () => 'disk', resume, options });
}

function turnsIn(chat: Chat, options: PageOptions = {}, branch = chat.current): PageTurn[] {
  return turnsOf(chat.entriesOf(branch)).map((each, index) =>
    pageTurn(each, turnHead(each, index, [], options), options),
  );
}

function conversation(lines: readonly JsonObject[]): Chat {
  return onlyChat([sessionOf('session-1', chain(lines))]);
}

const RECORDED = join(FIXTURES, 'recorded');
const SCENARIOS = readdirSync(RECORDED).flatMap((version) =>
  readdirSync(join(RECORDED, version)).map((scenario) => join(version, scenario)),
);

describe.each(SCENARIOS)('%s', (scenario) => {
  const sessions = sessionsIn(join(RECORDED, scenario));
  const chats = chatsIn(sessions).map((chat) => opened(sessions, chat));

  test('E4, E5: every call of a turn is one row, every text is shown once', () => {
    for (const chat of chats) {
      for (const branch of chat.branches) {
        for (const [index, each] of turnsOf(chat.entriesOf(branch)).entries()) {
          const { items } = pageTurn(each, turnHead(each, index, [], {}), {});
          const calls = items.flatMap((item) => (item.type === 'call' ? item.call.id : []));
          expect(new Set(calls).size).toBe(calls.length);
          const shown = itemsOf(each).flatMap((item) => (item.type === 'call' ? item.call.id : []));
          expect(calls).toEqual(shown);
          const texts = itemsOf(each).flatMap((item) => (item.type === 'text' ? item.text : []));
          expect(items.flatMap((item) => (item.type === 'text' ? item.text : []))).toEqual(texts);
        }
      }
    }
  });

  test('a page is plain JSON: sent and read it is the same', () => {
    for (const chat of chats) {
      const whole = { page: pageOf(chat), turns: turnsIn(chat) };
      expect(JSON.parse(JSON.stringify(whole))).toEqual(whole);
    }
  });

  test('the entry of every item is found in its turn, at the item', () => {
    for (const chat of chats) {
      const turns = chat.branches.map((branch) => turnsOf(chat.entriesOf(branch)));
      const current = chat.current ? chat.branches.indexOf(chat.current) : 0;
      for (const each of turnsIn(chat)) {
        for (const item of each.items) {
          if (item.uuid === null) continue;
          const found = findEntry(chat, item.uuid, (branch) => turns[branch] ?? [], current);
          expect(found).toMatchObject({ branch: current, index: each.index, calls: [] });
          expect(each.items[found?.item ?? -1]?.uuid).toBe(item.uuid);
        }
      }
    }
  });

  test('H3: a branch leaves at the last turn it shares with the one that is shown', () => {
    for (const chat of chats) {
      for (const shown of chat.branches) {
        const turns = turnsOf(chat.entriesOf(shown));
        for (const [index, places] of forksOf(chat, shown, turns)) {
          for (const place of places) {
            const other = new Set(chat.entriesOf(chat.branches[place]));
            const holds = ({ entries }: Turn) => entries.some((entry) => other.has(entry));
            expect(turns.findLastIndex(holds)).toBeGreaterThanOrEqual(index);
            expect(turns[index] && holds(turns[index])).toBe(true);
          }
        }
      }
    }
  });

  test('L3: an entry of a sub-agent is found by the calls that lead to it', () => {
    for (const chat of chats) {
      for (const agent of chat.subagents) {
        const uuid = agent.entries.at(-1)?.head.uuid;
        if (uuid === undefined || agent.toolUseId === undefined) continue;
        const found = findEntry(chat, uuid, (branch) => turnsOf(chat.entriesOf(chat.branches[branch])));
        expect(found?.calls[0]).toBe(agent.toolUseId);
      }
    }
  });
});

test('a compaction and its summary are one item', () => {
  const chat = conversation([
    user('one'),
    assistant('yes', { id: 'm1' }),
    system('compact_boundary', { compactMetadata: { trigger: 'manual', preTokens: 167_503, postTokens: 9000 } }),
    user('This session is being continued from a previous conversation. Summary: all is well.', {
      isCompactSummary: true,
    }),
    user('two'),
    assistant('again', { id: 'm2' }),
  ]);
  const items = turnsIn(chat).flatMap((each) => each.items);
  const compactions = items.filter(({ type }) => type === 'compaction');
  expect(compactions).toMatchObject([{ text: '168k → 9k tokens', summary: expect.stringContaining('all is well') }]);
  expect(pageOf(chat).turns.filter(({ compacted }) => compacted)).toHaveLength(1);
});

test('pictures of prompts and answers come as data', () => {
  const chat = conversation([user([text('see'), image()]), assistant([text('like this'), image()], { id: 'm1' })]);
  const items = turnsIn(chat).flatMap((each) => each.items);
  expect(items.find(({ type }) => type === 'prompt')).toMatchObject({ images: [{ mediaType: 'image/png' }] });
  expect(items.find(({ type }) => type === 'image')).toMatchObject({ image: { data: 'iVBORw0KGgo=' } });
});

test('texts are masked before they are cut, wherever they stand', () => {
  const secret = 'hunter2'.repeat(10);
  const long = `${'x'.repeat(180)} ${secret} ${'y'.repeat(400)}`;
  const chat = conversation([
    user([text(long), text('<system-reminder>')]),
    assistant(
      [{ type: 'thinking', thinking: long, signature: 's' }, text(long), toolUse('c1', 'Bash', { command: long })],
      {
        id: 'm1',
        stop: 'tool_use',
      },
    ),
    result('c1', `Error: ${long}`, { isError: true, toolUseResult: `Error: ${long}` }),
    assistant([toolUse('c2', 'TodoWrite', { todos: [{ content: long, status: 'pending', activeForm: long }] })], {
      id: 'm2',
      stop: 'tool_use',
    }),
    result('c2', 'ok', {
      toolUseResult: {
        oldTodos: [{ content: long, status: 'pending', activeForm: long }],
        newTodos: [{ content: long, status: 'completed', activeForm: long }],
      },
    }),
  ]);
  const options: PageOptions = { mask: (given) => given.replaceAll(secret, '[password]') };
  const calls = turnsOf(chat.entriesOf()).flatMap(({ toolCalls }) => toolCalls.map((call) => callPage(call, options)));
  const all = JSON.stringify([pageOf(chat, chat.current, options), turnsIn(chat, options), calls]);
  expect(all).not.toContain('hunter2');
  expect(all).toContain('[password]');
});

test('a failed call says why in its row', () => {
  const chat = conversation([
    user('go'),
    assistant([toolUse('c1', 'Bash', { command: 'false' })], { id: 'm1', stop: 'tool_use' }),
    result('c1', 'Exit code 1\nno such thing', { isError: true, toolUseResult: 'Error: Exit code 1' }),
  ]);
  const [first] = turnsIn(chat);
  expect(first?.items.find(({ type }) => type === 'call')).toMatchObject({
    call: { name: 'Bash', argument: 'false', status: 'error', failure: 'Exit code 1' },
  });
  expect(first?.failures).toBe(1);
});

test('branches carry the first prompt of their own', () => {
  const common = turn('a', 0, 's');
  const first = turn('b', 10, 's');
  const second = turn('c', 20, 's');
  const lines = [
    ...linked([...common, ...first]),
    ...second.map((line, place) => ({ ...line, parentUuid: place === 0 ? 'a-a' : 'q-c' })),
  ];
  const chat = onlyChat([sessionOf('s', lines)]);
  const page = pageOf(chat);
  expect(page.branches.map(({ prompt }) => prompt)).toEqual(['Q b', 'Q c']);
  expect(page.turns.map(({ forks }) => forks)).toEqual([[0], []]);
});
