/** Projects and chats in a real browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeBrowser, openPage, seriousFindings, startViewer, type Viewer } from '../../web/harness.ts';
import { idOf, writeChat } from '../../web/sets.ts';

const MANY = 5000;
const DAY = 86_400_000;

describeBrowser('the list of many chats', () => {
  let viewer: Viewer;
  const root = mkdtempSync(join(tmpdir(), 'skein-list-'));

  beforeAll(async () => {
    // The newest has just begun: an hour ago may be yesterday.
    const newest = Date.now() - 10_000;
    for (let number = 1; number <= MANY; number += 1) {
      writeChat(root, {
        number,
        cwd: number % 10 === 0 ? '/work/rare' : '/work/app',
        started: new Date(newest - (number - 1) * (DAY / 20)).toISOString(),
        exchanges: [
          { prompt: `Question number ${number} about ${number % 7 === 0 ? 'Façade' : 'tides'}`, answer: 'Yes.' },
        ],
      });
    }
    viewer = await startViewer({ root });
  });
  afterAll(async () => {
    await viewer.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const settled = (page: Page) =>
    page
      .getByRole('status')
      .filter({ hasText: `${MANY.toLocaleString('en')} chats` })
      .waitFor();
  const selected = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-chat'));
  const count = (page: Page) => page.locator('.chats-count').textContent();

  test('draws only what is in sight, by day, and scrolls to the last', async () => {
    const page = await openPage(viewer);
    await settled(page);
    expect(await page.locator('.chat-row').count()).toBeLessThan(60);
    expect(await page.locator('.chat-rows-day').first().textContent()).toBe('Today');
    await page.locator('.chat-row').first().focus();
    await page.keyboard.press('End');
    await expect.poll(() => selected(page)).toBe(idOf(MANY));
    await page.keyboard.press('Home');
    await expect.poll(() => selected(page)).toBe(idOf(1));
    expect(await page.locator('.chat-row').count()).toBeLessThan(60);
  });

  test('typing filters, without accents and case, and the address says so', async () => {
    const page = await openPage(viewer);
    await settled(page);
    await page.keyboard.press('f');
    await page.keyboard.type('facade number 70');
    const fitting = Array.from({ length: MANY }, (_, index) => index + 1).filter(
      (n) => n % 7 === 0 && /70/.test(`${n}`),
    );
    await expect.poll(() => count(page)).toBe(`${fitting.length} of 5,000 chats`);
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe('#/?filter=facade+number+70');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => selected(page)).toBe(idOf(70));
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => selected(page)).toBe(idOf(700));
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`#/chat/${idOf(700)}`));
    expect(await page.locator('.chat-row[aria-current]').getAttribute('data-chat')).toBe(idOf(700));
    expect(await page.getByLabel('Filter the chats').inputValue()).toBe('facade number 70');
  });

  test('a project is one click, and all chats one more', async () => {
    const page = await openPage(viewer);
    await settled(page);
    await page.getByRole('link', { name: /^rare/ }).click();
    await expect.poll(() => count(page)).toBe('500 of 5,000 chats');
    await page.getByLabel('Filter the chats').fill('no such words');
    await page.getByText('No chat fits').waitFor();
    await page.getByRole('button', { name: 'Show all chats' }).click();
    await expect.poll(() => count(page)).toBe('5,000 chats');
  });

  test('j and k select while no chat is open', async () => {
    const page = await openPage(viewer);
    await settled(page);
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await expect.poll(() => selected(page)).toBe(idOf(2));
  });

  test('what comes in above moves neither the selection nor what is looked at', async () => {
    const page = await openPage(viewer);
    await settled(page);
    await page.locator('.chat-row').first().focus();
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('PageDown');
    await expect.poll(() => selected(page)).toBe(idOf(41));
    const place = () =>
      page.locator(`[data-chat="${idOf(41)}"]`).evaluate((row) => Math.round(row.getBoundingClientRect().top));
    const before = await place();
    writeChat(root, {
      number: 9000,
      started: new Date().toISOString(),
      exchanges: [{ prompt: 'Just now', answer: 'Yes.' }],
    });
    await expect.poll(() => count(page), { timeout: 20_000 }).toBe('5,001 chats');
    expect(await selected(page)).toBe(idOf(41));
    expect(await place()).toBe(before);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => selected(page)).toBe(idOf(42));
  });
});

describeBrowser('the list of the demo set', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer();
  });
  afterAll(() => viewer.stop());

  test('says that it is one, and how to see real sessions', async () => {
    const page = await openPage(viewer);
    await page.getByText('These are demo chats').click();
    expect(await page.locator('.demo').textContent()).toContain('skein serve --root DIR');
  });

  test('marks are filters', async () => {
    const page = await openPage(viewer);
    await page.getByRole('button', { name: /Branched/ }).click();
    await expect.poll(() => page.locator('.chat-row').count()).toBe(1);
    expect(await page.locator('.chat-row .mark-sign').getAttribute('aria-label')).toContain('has branches');
    await page.getByRole('button', { name: /Branched/ }).click();
    await expect.poll(() => page.locator('.chat-row').count()).toBe(6);
  });

  test('at phone width the list has the width, and projects are a choice', async () => {
    const page = await openPage(viewer, { viewport: { width: 390, height: 800 } });
    await page.locator('.chat-row').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'papertrail (2)' });
    await expect.poll(() => page.locator('.chat-row').count()).toBe(2);
    await page.locator('.chat-row').first().click();
    await page.getByRole('link', { name: 'Back to the chats' }).click();
    await page.locator('.chat-row').first().waitFor();
  });

  test.each(['light', 'dark'] as const)('axe finds nothing serious (%s)', async (colorScheme) => {
    const page = await openPage(viewer, { colorScheme });
    await page.locator('.chat-row').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('an answer that fails says so, and can be asked again', async () => {
    const page = await openPage(viewer, { allow: /Failed to load resource|503/ });
    await page.locator('.chat-row').first().waitFor();
    let fails = true;
    await page.route('**/api/chats', (route) =>
      fails
        ? route.fulfill({ status: 503, json: { what: 'Too much at once.', next: 'Wait a little.' } })
        : route.continue(),
    );
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'Too much at once.' }).waitFor();
    fails = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.chat-row').first().waitFor();
  });
});
