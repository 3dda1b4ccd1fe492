/** Calls of special kinds, marked words, and a turn of very many items, in a real browser. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf } from '../../../src/format/entry.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { decode } from '../../../src/format/text.ts';
import { ITEMS_PART } from '../../../src/views/page/options.ts';
import { plantForest } from '../../support/agent-forest.ts';
import { assistant, result, text, timeOf, toolUse, user } from '../../support/build.ts';
import { describeBrowser, openPage, startViewer, type Viewer } from '../../web/harness.ts';
import { entryId, idOf, sessionLines, sessionSet } from '../../web/sets.ts';

const MANY = 20_000;

/** One prompt, and so many answers and calls after it. */
function endlessTurn(session: number, items: number): JsonObject[] {
  const lines: JsonObject[] = [user('go on for ever')];
  for (let step = 1; step < items / 2; step += 1) {
    lines.push(
      assistant([text(`step ${step} of many`), toolUse(`toolu_${step}`, 'Bash', { command: `echo ${step}` })], {
        id: `msg_${step}`,
        stop: 'tool_use',
      }),
      result(`toolu_${step}`, `${step}\n`),
    );
  }
  lines.push(assistant('the very end', { id: 'msg_end' }));
  return sessionLines(session, lines).map((line, place) => ({ ...line, timestamp: timeOf(place) }));
}

const FILE = [
  '     1→const one = 1;',
  '     2→',
  '     3→export { one };',
  '',
  '<system-reminder>Be good.</system-reminder>',
];

describeBrowser('a chat with unusual things', () => {
  const forest = plantForest([{ layout: 'both', calls: 2, resumed: true }]);
  const set = sessionSet({
    [idOf(1)]: sessionLines(1, [
      user('read and fetch'),
      assistant(
        [
          toolUse('toolu_f', 'WebFetch', { url: 'https://example.com/a?b=1', prompt: 'what is it?' }),
          toolUse('toolu_j', 'WebFetch', { url: 'javascript:alert(1)', prompt: 'x' }),
          toolUse('toolu_r', 'Read', { file_path: '/work/app/one.ts' }),
        ],
        { id: 'msg_1', stop: 'tool_use' },
      ),
      result('toolu_f', 'It is an **example**.'),
      result('toolu_j', 'Nothing.'),
      result('toolu_r', FILE.join('\n')),
      assistant('Naïve words: the example says *example* twice.', { id: 'msg_2' }),
    ]),
    [idOf(2)]: forest.main.map((line) => ({ ...line, sessionId: idOf(2), cwd: '/work/app' })),
    [idOf(3)]: endlessTurn(3, MANY),
  });
  for (const { agentId, entries, meta } of forest.files) {
    const path = join(dirname(set.file(idOf(2))), idOf(2), 'subagents', `agent-${agentId}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.jsonl`, entries.map((entry) => `${decode(bytesOf(entry))}\n`).join(''));
    if (meta) writeFileSync(`${path}.meta.json`, JSON.stringify(meta));
  }
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root, args: ['--no-sync'] });
  });
  afterAll(() => viewer.stop());

  const open = async (id: string, query = ''): Promise<Page> => {
    const page = await openPage(viewer, { hash: `#/chat/${id}${query}` });
    await page.locator('.row-turn').first().waitFor();
    return page;
  };

  test('WebFetch: its link, which nothing follows by itself, and what came back as prose', async () => {
    const page = await open(idOf(1));
    const [fetched, odd] = [0, 1].map((place) => page.locator('.row-call', { hasText: 'WebFetch' }).nth(place));
    await fetched?.getByRole('button').first().click();
    const link = fetched?.getByRole('link', { name: 'https://example.com/a?b=1' });
    await link?.waitFor();
    expect(await link?.getAttribute('rel')).toBe('noreferrer noopener');
    expect(await fetched?.locator('strong').textContent()).toBe('example');
    await odd?.getByRole('button').first().click();
    await odd?.getByText('Nothing.').waitFor();
    expect(await odd?.getByRole('link').count()).toBe(0);
  });

  test('E16: a Read without a record is code with its own line numbers; the reminder stands after it', async () => {
    const page = await open(idOf(1));
    const read = page.locator('.row-call', { hasText: 'Read' });
    await read.getByRole('button').first().click();
    await read.locator('.hl-keyword').first().waitFor();
    expect(await read.locator('.line-numbers').textContent()).toBe('1\n2\n3');
    expect(await read.locator('pre code').last().textContent()).toBe('const one = 1;\n\nexport { one };');
    await read.getByText('Be good.').waitFor();
  });

  test('words that were searched for are marked, also in what is opened later; none without them', async () => {
    const marked = (page: Page) =>
      page.evaluate(() => [...(CSS.highlights.get('searched') ?? [])].map((range) => String(range)));
    const page = await open(idOf(1), '?q=naive%20example%20-nothing%20tool%3ARead');
    await expect.poll(() => marked(page)).toEqual(expect.arrayContaining(['Naïve', 'example']));
    const before = (await marked(page)).length;
    await page.locator('.row-call', { hasText: 'WebFetch' }).first().getByRole('button').first().click();
    await expect.poll(async () => (await marked(page)).length).toBeGreaterThan(before);
    await page.evaluate((id) => {
      location.hash = `#/chat/${id}`;
    }, idOf(1));
    await expect.poll(() => marked(page)).toEqual([]);
  });

  test('L3: an agent that was taken up again shows under each call what that call began', async () => {
    const page = await open(idOf(2));
    const asked: string[] = [];
    page.on('response', async (response) => {
      if (response.url().includes('/agents/')) asked.push(await response.text());
    });
    const calls = page.locator('.row-call[data-depth="0"] [data-toggle]');
    expect(await calls.count()).toBe(2);
    await calls.nth(1).click();
    await expect.poll(() => asked.length).toBe(1);
    await page.locator('.row[data-depth="1"]').first().waitFor();
    const second = await page.locator('.row[data-depth="1"]').allInnerTexts();
    await calls.nth(1).click();
    await calls.nth(0).click();
    await expect.poll(() => asked.length).toBe(2);
    await page.locator('.row[data-depth="1"]').first().waitFor();
    const first = await page.locator('.row[data-depth="1"]').allInnerTexts();
    expect(first).not.toEqual(second);
    expect(new Set(asked.map((answer) => JSON.parse(answer).agent.callId)).size).toBe(2);
  });

  test('a turn of 20,000 items comes in parts: the first quickly, the one a link leads to, the end; few are kept', async () => {
    const page = await openPage(viewer, { hash: '#/' });
    const asked: { readonly part: number; readonly bytes: number }[] = [];
    page.on('response', async (response) => {
      const url = new URL(response.url());
      if (url.pathname.endsWith('/turns'))
        asked.push({ part: Number(url.searchParams.get('part') ?? 0), bytes: (await response.body()).length });
    });
    // The line of step n is entry 2n; its text is item 2n - 1 of the turn.
    const step = 6000;
    await page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      `#/chat/${idOf(3)}?at=${entryId(3, 2 * step)}`,
    );
    await page.locator('.row.selected', { hasText: `step ${step} of many` }).waitFor({ timeout: 20_000 });
    const wanted = Math.floor((2 * step - 1) / ITEMS_PART);
    expect(asked.map(({ part }) => part)).toContain(wanted);
    expect(asked.length).toBeLessThan(8);
    expect(Math.max(...asked.map(({ bytes }) => bytes))).toBeLessThan(400_000);
    expect(await page.locator('.row').count()).toBeLessThan(150);
    await page.keyboard.press('G');
    await page.getByText('the very end').waitFor();
    await page.keyboard.press('g');
    await page.getByText('step 1 of many').waitFor();
  });
});
