/** Reading a chat in the viewer: the demo set, opened in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeBrowser, openPage, startViewer, type Viewer } from '../../web/harness.ts';

const AUDIT = '3cb0e47f-55e3-4645-8fb5-02da3479f365';
const RATE_LIMIT = 'cda1d12f-8ca9-4ff9-b154-503663c97fcc';
const SQLITE = 'bf4e6fb3-0923-45a9-979d-2e1e86dea165';
const BOOKSHELF = '70acae10-3f24-4b38-9b32-afc0736ce9e5';

describeBrowser('a chat', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer();
  });
  afterAll(() => viewer.stop());

  const open = async (id: string, query = '', more: Parameters<typeof openPage>[1] = {}): Promise<Page> => {
    const page = await openPage(viewer, { hash: `#/chat/${id}${query}`, ...more });
    await page.locator('.row-turn').first().waitFor();
    return page;
  };

  test('opens from the list and reads like a document', async () => {
    const page = await openPage(viewer);
    await page.getByText('Stale tide after midnight').first().click();
    await page.locator('.row-turn').first().waitFor();
    expect(await page.locator('h1').innerText()).toBe('Stale tide after midnight');
    expect(page.url()).toContain('#/chat/f6e7f4cc');
    expect(await page.locator('.row-turn h2').first().innerText()).toBe('Prompt 1');
    expect(await page.locator('.row-text .markdown').count()).toBeGreaterThan(0);
  });

  test('a Read opens as code with line numbers and colours, an Edit as a diff', async () => {
    const page = await open(BOOKSHELF);
    const read = page.locator('.row-call', { hasText: 'Read' }).first();
    await read.getByRole('button').first().click();
    await read.locator('.line-numbers').waitFor();
    expect(await read.locator('.line-numbers').innerText()).toMatch(/^1\n2/);
    await read.locator('.hl-keyword').first().waitFor();
    const edit = page.locator('.row-call', { hasText: 'Edit' }).first();
    await edit.getByRole('button').first().click();
    await edit.locator('tr.added').first().waitFor();
    expect(await edit.locator('tr.added .diff-number').nth(1).innerText()).toMatch(/^\d+$/);
  });

  test('a denial and an interruption are seen without opening anything', async () => {
    const page = await open(BOOKSHELF);
    await page.locator('.call-state.denied').waitFor();
    expect(await page.locator('.call-failure').first().innerText()).toContain("doesn't want to proceed");
    expect(await page.getByText('Interrupted', { exact: true }).count()).toBe(1);
  });

  test('a compaction is a line that opens its summary', async () => {
    const page = await open(SQLITE);
    const line = page.locator('.compaction-line').first();
    // Rows come and go while the page moves: it counts once it stays.
    const stays = async () => {
      if ((await line.count()) === 0) return false;
      await page.waitForTimeout(200);
      return (await line.count()) > 0;
    };
    for (let tries = 0; tries < 40 && !(await stays()); tries += 1) {
      // From the end upwards, and again from there: a slow page may not have been listening yet.
      await page.keyboard.press(tries % 10 === 0 ? 'G' : 'k');
      await page.waitForTimeout(250);
    }
    expect(await line.innerText()).toMatch(/Context compacted: \d+k tokens/);
    const summary = page.locator('.compaction-summary');
    // A row that is measured anew between press and release is not clicked.
    for (let tries = 0; tries < 5 && (await summary.count()) === 0; tries += 1) {
      await line.click();
      await page.waitForTimeout(500);
    }
    expect((await summary.innerText()).length).toBeGreaterThan(100);
  });

  test('a sub-agent opens in place, with its own calls', async () => {
    const page = await open(AUDIT);
    const before = await page.locator('.row').count();
    await page.locator('.row-call', { hasText: 'Audit of request input' }).getByRole('button').first().click();
    await page.locator('.row[data-depth="1"]').first().waitFor();
    expect(await page.locator('.row[data-depth="1"].row-turn').innerText()).toContain('Read-only audit');
    expect(await page.locator('.row').count()).toBeGreaterThan(before);
    const inner = page.locator('.row[data-depth="1"].row-call', { hasText: 'server.ts' }).first();
    await inner.getByRole('button').first().click();
    await inner.locator('.call-parts').waitFor();
    expect(await inner.locator('.call-parts').innerText()).toContain('createServer');
    await page.locator('.row-call', { hasText: 'Audit of request input' }).getByRole('button').first().click();
    await expect.poll(() => page.locator('.row[data-depth="1"]').count()).toBe(0);
  });

  test('where branches leave there is a switch; it keeps the place', async () => {
    const page = await open(RATE_LIMIT);
    const forks = page.locator('.forks');
    await forks.waitFor();
    await forks.scrollIntoViewIfNeeded();
    expect(await forks.innerText()).toContain('2 of 2');
    const prompts = () => page.locator('.row-turn').allInnerTexts();
    const before = await prompts();
    const top = (await forks.boundingBox())?.y ?? 0;
    await forks.getByRole('button', { name: 'Previous branch' }).click();
    await expect.poll(() => forks.innerText()).toContain('1 of 2');
    expect(page.url()).toContain('branch=1');
    await expect.poll(() => prompts()).not.toEqual(before);
    expect((await prompts())[0]).toBe(before[0]);
    expect(Math.abs(((await forks.boundingBox())?.y ?? 0) - top)).toBeLessThan(4);
    await page.keyboard.press(']');
    await expect.poll(() => forks.innerText()).toContain('2 of 2');
  });

  test('keys: j and k go by prompts, J and K by items, o opens, g and G go to the ends', async () => {
    const page = await open(AUDIT);
    const selected = () => page.locator('.row.selected').getAttribute('data-key');
    await page.keyboard.press('j');
    expect(await selected()).toBe('t0');
    await page.keyboard.press('j');
    await expect.poll(selected).toBe('t1');
    await page.keyboard.press('k');
    await expect.poll(selected).toBe('t0');
    await page.keyboard.press('J');
    await expect.poll(selected).toBe('t0.1');
    await page.keyboard.press('o');
    await page.locator('.row.selected .thinking .markdown').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.row.selected .thinking .markdown').count()).toBe(0);
    await page.keyboard.press('K');
    await expect.poll(selected).toBe('t0');
    await page.keyboard.press('G');
    await expect.poll(selected).toMatch(/^t2/);
    await page.keyboard.press('g');
    await expect.poll(selected).toBe('t0');
  });

  test('keys of the page: ? shows them, / searches, u counts, m maps, t changes the look', async () => {
    const page = await open(AUDIT);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('m');
    await page.getByRole('dialog', { name: 'Map of the chat' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await page.keyboard.press('/');
    await expect.poll(() => page.url()).toContain('#/search');
    await page.goBack();
    await page.locator('.row-turn').first().waitFor();
    await page.keyboard.press('u');
    await expect.poll(() => page.url()).toContain('#/usage');
  });

  test('copies a turn, an item, a link and the resume command', async () => {
    const page = await open(AUDIT, '', { permissions: ['clipboard-read', 'clipboard-write'] });
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.locator('.row-turn').first().hover();
    await page.getByRole('button', { name: 'Copy the turn as Markdown' }).first().click();
    await expect.poll(clipboard).toMatch(/^> Before we open the API[\s\S]*\*\*Agent\*\*|\*\*Task\*\*/);
    await page.keyboard.press('l');
    await expect.poll(clipboard).toMatch(/#\/chat\/3cb0e47f.*at=[0-9a-f-]{36}/);
    await page.keyboard.press('r');
    await expect.poll(clipboard).toContain('--resume');
  });

  test('a link to an entry goes there and marks it', async () => {
    const page = await open(SQLITE);
    const heads = await page.evaluate(async (id) => (await fetch(`/api/chats/${id}`)).json(), SQLITE);
    const { uuid } = heads.turns[4];
    const linked = await openPage(viewer, { hash: `#/chat/${SQLITE}?at=${uuid}` });
    await linked.locator('.row.selected[data-key="t4"]').waitFor();
    const scroller = await linked.locator('.scroller').boundingBox();
    await expect
      .poll(async () => ((await linked.locator('.row.selected').boundingBox())?.y ?? 0) - (scroller?.y ?? 0))
      .toBeLessThan(60);
  });

  test('a link into a sub-agent opens it on the way', async () => {
    const page = await open(AUDIT);
    const uuid = await page.evaluate(async (id) => {
      const chat = await (await fetch(`/api/chats/${id}`)).json();
      const { turns } = await (await fetch(`/api/chats/${id}/agents/${chat.agents[0].agentId}`)).json();
      return turns[0].items.at(-1).uuid;
    }, AUDIT);
    const linked = await openPage(viewer, { hash: `#/chat/${AUDIT}?at=${uuid}` });
    await linked.locator('.row.selected[data-depth="1"]').waitFor();
  });

  test('at phone width there is one column, with a way back', async () => {
    const page = await openPage(viewer, { viewport: { width: 390, height: 844 } });
    await page.getByText('Stale tide after midnight').first().click();
    await page.locator('.row-turn').first().waitFor();
    expect(await page.locator('.column.chats').isVisible()).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole('link', { name: 'Back to the chats' }).click();
    await expect.poll(() => page.locator('.column.chats').isVisible()).toBe(true);
    expect(await page.locator('.column.chat').isVisible()).toBe(false);
  });

  test('prints the whole conversation and nothing else', async () => {
    const page = await open(SQLITE);
    await page.evaluate(() => {
      window.print = () => window.dispatchEvent(new Event('beforeprint'));
    });
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('button', { name: 'Print' }).click();
    await expect.poll(() => page.locator('.row-turn').count()).toBe(7);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.column.chats').isVisible()).toBe(false);
    const heights = await page.evaluate(() => [
      document.documentElement.scrollHeight,
      document.querySelector('.rows-near')?.getBoundingClientRect().height ?? 0,
    ]);
    expect(heights[0]).toBeGreaterThan(heights[1] ?? 0);
    expect(heights[1]).toBeGreaterThan(2000);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await expect.poll(() => page.locator('.row-turn').count()).toBeLessThan(7);
  });

  test('widths of columns are remembered', async () => {
    const page = await open(AUDIT);
    const rule = page.getByRole('separator', { name: 'Width of chats' });
    await rule.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.reload();
    await page.locator('.row-turn').first().waitFor();
    expect((await page.locator('.column.chats').boundingBox())?.width).toBe(372);
  });

  test('a chat that is not there says so', async () => {
    const page = await openPage(viewer, { hash: '#/chat/00000000-0000-4000-8000-00000000dead', allow: /404/ });
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1);
  });
});
