/** A long chat: only what is near is there, and nothing jumps. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeBrowser, openPage, startViewer, type Viewer } from '../web/harness.ts';
import { entryId, idOf, longSession, sessionSet } from '../web/sets.ts';

const TURNS = 1500;

describeBrowser('a long chat', () => {
  // Some answers are many screens long, so that guesses at heights are wrong.
  const set = sessionSet({ [idOf(4)]: longSession(4, TURNS, (turn) => (turn % 9 === 0 ? 9000 : 100)) });
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root });
  });
  afterAll(() => viewer.stop());

  const open = async (query = '', allowed = '.row-turn'): Promise<Page> => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(4)}${query}` });
    await page.locator(allowed).first().waitFor();
    return page;
  };

  test('draws and asks for only what is near', async () => {
    const page = await open();
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/turns?') && asked.push(request.url()));
    expect(await page.locator('.row').count()).toBeLessThan(120);
    await page.keyboard.press('G');
    await page.getByText(`answer ${TURNS} lorem`).waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(120);
    const turns = asked.map(
      (url) => Number(new URL(url).searchParams.get('to')) - Number(new URL(url).searchParams.get('from')),
    );
    expect(turns.reduce((sum, count) => sum + count, 0)).toBeLessThan(100);
    expect(Math.max(...turns)).toBeLessThanOrEqual(50);
  });

  test('a link into the middle goes there, and stays there while what is above comes in', async () => {
    const turn = 1000;
    const page = await open(`?at=${entryId(4, (turn - 1) * 4 + 4)}`, '.row.selected');
    const row = page.locator('.row.selected');
    expect(await row.innerText()).toContain(`answer ${turn} `);
    await page.waitForTimeout(1200);
    const top = (await row.boundingBox())?.y ?? 0;
    const scroller = (await page.locator('.scroller').boundingBox())?.y ?? 0;
    expect(Math.abs(top - scroller)).toBeLessThan(60);
  });

  test('a server that fails is asked again, but not in a loop; then the rest comes', async () => {
    const page = await openPage(viewer, { allow: /500|Failed to load/ });
    let asked = 0;
    await page.route('**/turns?*', (route) => {
      asked += 1;
      return route.fulfill({ status: 500, json: { what: 'It broke.', next: 'Wait.' } });
    });
    await page.evaluate((id) => {
      location.hash = `#/chat/${id}`;
    }, idOf(4));
    await page.getByRole('alert').getByText('It broke.').waitFor();
    await page.waitForTimeout(2500);
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(9);
    await page.unroute('**/turns?*');
    await page.getByText('answer 1 lorem').waitFor({ timeout: 20_000 });
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test('going up, what is read does not move when turns above are brought in', async () => {
    const page = await open(`?at=${entryId(4, 4 * 700 + 1)}`, '.row.selected');
    await page.waitForTimeout(1500);
    await page.locator('.scroller').hover();
    for (let step = 0; step < 12; step += 1) {
      await page.mouse.wheel(0, -400);
      await page.waitForTimeout(120);
      const moved = await page.evaluate(async () => {
        const rows = [...document.querySelectorAll<HTMLElement>('.row:not(.row-unloaded)')];
        const middle = rows.find((row) => row.getBoundingClientRect().top > 300);
        const before = middle?.getBoundingClientRect().top ?? 0;
        await new Promise((done) => setTimeout(done, 350));
        return middle?.isConnected ? Math.abs(middle.getBoundingClientRect().top - before) : 0;
      });
      expect(moved).toBeLessThan(3);
    }
  });
});
