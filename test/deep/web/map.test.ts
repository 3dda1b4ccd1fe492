/** The map, the timeline and the outline of a chat in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeBrowser, openPage, seriousFindings, startViewer, type Viewer } from '../../web/harness.ts';
import { idOf, longSession, sessionSet } from '../../web/sets.ts';

const AUDIT = '3cb0e47f-55e3-4645-8fb5-02da3479f365';
const RATE_LIMIT = 'cda1d12f-8ca9-4ff9-b154-503663c97fcc';
const SQLITE = 'bf4e6fb3-0923-45a9-979d-2e1e86dea165';

describeBrowser('beside the text', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer();
  });
  afterAll(() => viewer.stop());

  const open = async (id: string, more: Parameters<typeof openPage>[1] = {}): Promise<Page> => {
    const page = await openPage(viewer, { hash: `#/chat/${id}`, ...more });
    await page.locator('.row-turn').first().waitFor();
    return page;
  };
  const map = async (id: string): Promise<Page> => {
    const page = await open(id);
    await page.keyboard.press('m');
    await page.getByRole('dialog').locator('.map').waitFor();
    return page;
  };

  test('the map shows where a branch leaves; a click goes there, and back', async () => {
    const page = await map(RATE_LIMIT);
    const rows = page.locator('.map-rows > li');
    expect(await rows.evaluateAll((lines) => lines.map((line) => line.className))).toEqual([
      'map-turn',
      'map-branch',
      'map-turn',
      'map-turn',
    ]);
    await page.getByRole('button', { name: /Branch 1/ }).click();
    await expect.poll(() => page.url()).toContain('branch=1');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.locator('.outline-row', { hasText: 'Do it with Redis' }).waitFor();
    await page.keyboard.press('m');
    await page.getByRole('button', { name: /Branch 2/ }).click();
    await page.locator('.outline-row', { hasText: 'No Redis, no new dependency' }).waitFor();
  });

  test('sub-agents and compactions are on it; keys move, Enter goes', async () => {
    const agents = await map(AUDIT);
    expect(await agents.locator('.map-agent').count()).toBe(4);
    await agents.locator('.map-row').first().focus();
    await agents.keyboard.press('ArrowDown');
    await agents.keyboard.press('ArrowDown');
    expect(await agents.evaluate(() => document.activeElement?.textContent)).toContain('Cost of a prediction');
    await agents.keyboard.press('Enter');
    await expect.poll(() => agents.url()).toContain('at=');
    const compacted = await map(SQLITE);
    expect(await compacted.locator('.map-compaction').count()).toBe(1);
  });

  test('the timeline sets what ran at the same time side by side, and sub-agents under it', async () => {
    const page = await open(AUDIT);
    await page.keyboard.press('w');
    const waterfall = page.locator('.waterfall').first();
    await waterfall.waitFor();
    const top = (name: RegExp) =>
      waterfall
        .getByRole('button', { name })
        .evaluateAll((bars) => bars.map((bar) => Math.round(bar.getBoundingClientRect().top)));
    const [first = 0, second = 0] = await top(/^Agent/);
    expect(second).toBeGreaterThan(first);
    await waterfall.getByRole('button', { name: /Explore Audit of request input/ }).click();
    await expect.poll(() => waterfall.locator('.lanes').count()).toBe(2);
    expect(await waterfall.locator('.lanes').nth(1).locator('.span.call').count()).toBe(5);
    const bar = waterfall.locator('.lanes').first().locator('.span.generation').last();
    await bar.hover();
    expect(await waterfall.locator('figcaption').textContent()).toMatch(/opus-4-5 · [\d.]+ s · .* tokens out/);
    await bar.click();
    await page.locator('.row.selected').waitFor();
  });

  test.each(['light', 'dark'] as const)('axe finds nothing serious in map and timeline (%s)', async (colorScheme) => {
    const page = await open(AUDIT, { colorScheme });
    await page.keyboard.press('w');
    await page.locator('.waterfall').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('m');
    await page.getByRole('dialog').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

describeBrowser('the outline of a long chat', () => {
  const set = sessionSet({ [idOf(1)]: longSession(1, 400) });
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root });
  });
  afterAll(() => viewer.stop());

  test('goes to a prompt, follows the text, and draws only what is in sight', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(1)}` });
    const lines = page.locator('.outline-row');
    await lines.first().waitFor();
    expect(await lines.count()).toBeLessThan(80);
    await lines.nth(12).click();
    const current = () => page.locator('.outline-row[aria-current]').getAttribute('data-index');
    await expect.poll(current).toBe('12');
    await page.locator('.outline').evaluate((box) => (box as HTMLElement).blur());
    await page.mouse.move(700, 500);
    await page.keyboard.press('G');
    await expect.poll(async () => Number(await current())).toBeGreaterThan(395);
    await page.keyboard.press('g');
    await expect.poll(current).toBe('0');
  });

  test('the map folds turns in which nothing happened', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(1)}` });
    await page.locator('.row-turn').first().waitFor();
    await page.keyboard.press('m');
    await page.getByRole('button', { name: '398 turns between' }).click();
    await expect.poll(() => page.locator('.map-turn').count()).toBe(400);
  });
});
