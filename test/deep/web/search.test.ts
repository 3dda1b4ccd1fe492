/** Searching in a real browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { random } from '../../redact/samples.ts';
import { describeBrowser, openPage, seriousFindings, startViewer, type Viewer } from '../../web/harness.ts';
import { entryId, idOf, writeChat } from '../../web/sets.ts';

const SECRET = `ghp_${random(36, 'lantern')}`;

describeBrowser('search', () => {
  let viewer: Viewer;
  const root = mkdtempSync(join(tmpdir(), 'skein-search-'));

  beforeAll(async () => {
    for (let number = 1; number <= 4; number += 1) {
      writeChat(root, {
        number,
        cwd: number === 4 ? '/work/other' : '/work/app',
        started: `2026-01-0${number}T10:00:00Z`,
        exchanges: Array.from({ length: 12 }, (_, index) => ({
          prompt: `Where is the lighthouse ${index} of chat ${number}?`,
          answer: 'On the cliff.',
          ...(index === 3 && { bash: { command: 'make lamp', output: 'lamp: no such target', failed: true } }),
        })),
      });
    }
    writeChat(root, {
      number: 5,
      exchanges: [{ prompt: `Light the lantern with ${SECRET} please`, answer: 'Lit.' }],
    });
    writeChat(root, {
      number: 6,
      cwd: '/work/<b>bold</b>',
      exchanges: [{ prompt: '<img src=x onerror=alert(1)> lantern <script>alert(2)</script>', answer: 'No.' }],
    });
    viewer = await startViewer({ root });
  });
  afterAll(async () => {
    await viewer.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const open = async (query = '', more: Parameters<typeof openPage>[1] = {}): Promise<Page> => {
    const page = await openPage(viewer, {
      hash: `#/search${query === '' ? '' : `?q=${encodeURIComponent(query)}`}`,
      ...more,
    });
    await page.getByLabel('Search all chats').waitFor();
    return page;
  };
  const told = (page: Page) => page.locator('.search-told').textContent();
  const query = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('q');

  test('finds while typing, grouped by chat, the words marked, the query in the address', async () => {
    const page = await openPage(viewer);
    await page.locator('.bar').waitFor();
    await page.keyboard.press('/');
    await page.getByLabel('Search all chats').waitFor();
    await page.keyboard.type('lighthouse');
    await expect.poll(() => told(page)).toContain('48 hits');
    expect(await page.locator('.hit-group').count()).toBeGreaterThan(1);
    expect(await page.locator('.hit mark').first().textContent()).toBe('lighthouse');
    expect(query(page)).toBe('lighthouse');
    await page.reload();
    await expect.poll(() => told(page)).toContain('48 hits');
    expect(await page.getByLabel('Search all chats').inputValue()).toBe('lighthouse');
  });

  test('what was typed last is asked, what was overtaken is given up', async () => {
    const page = await open();
    const asked: string[] = [];
    let held = 0;
    await page.route('**/api/search?*', async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('q') ?? '');
      held += 1;
      if (held === 1) await new Promise((done) => setTimeout(done, 800));
      await route.continue().catch(() => {});
    });
    await page.keyboard.type('cliff');
    await expect.poll(() => held).toBe(1);
    await page.keyboard.type('s');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Backspace');
    await expect.poll(() => told(page)).toContain('48 hits');
    // Every key within the pause before a question is part of the same one.
    expect(asked).toEqual(['cliff', 'cliffs', 'cliff']);
  });

  test('Enter opens the first hit at its message; n and N go on from chat to chat', async () => {
    const page = await open('lamp');
    await expect.poll(() => told(page)).toContain('hits');
    await page.getByLabel('Search all chats').focus();
    const hrefs = await page
      .locator('a.hit')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const places = hrefs.map((href) => [
      /chat\/([^?]+)/.exec(href)?.[1],
      new URLSearchParams(href.split('?')[1]).get('at'),
    ]);
    const here = () => [/chat\/([^?]+)/.exec(page.url())?.[1], new URLSearchParams(page.url().split('?')[1]).get('at')];
    await page.keyboard.press('Enter');
    await expect.poll(here).toEqual(places[0]);
    await page.locator('.row-turn').first().waitFor();
    for (const place of places.slice(1, 4)) {
      await page.keyboard.press('n');
      await expect.poll(here).toEqual(place);
      await page.locator('.row-turn').first().waitFor();
    }
    await page.keyboard.press('N');
    await expect.poll(here).toEqual(places[2]);
    await expect.poll(() => page.locator('.hit-bar').textContent()).toContain(`3 of ${places.length}`);
    await page.getByRole('link', { name: 'All results' }).click();
    await expect.poll(() => query(page)).toBe('lamp');
  });

  test('a link to a hit knows its results again after a reload', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(2)}?at=${entryId(2, 1)}&q=lighthouse&sort=date` });
    await expect.poll(() => page.locator('.hit-bar').textContent()).toMatch(/^\d+ of 48/);
  });

  test('arrow keys go into the results and back', async () => {
    const page = await open('lighthouse');
    await page.locator('a.hit').first().waitFor();
    await page.getByLabel('Search all chats').focus();
    const focused = () =>
      page.evaluate(() => [...document.querySelectorAll('a.hit')].indexOf(document.activeElement ?? document.body));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(1);
    await page.keyboard.press('n');
    expect(await focused()).toBe(2);
    for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowUp');
    const inBox = () => page.evaluate(() => document.activeElement?.getAttribute('role') === 'combobox');
    expect(await inBox()).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('/');
    expect(await inBox()).toBe(true);
    expect(query(page)).toBe('lighthouse');
  });

  test('names and values of filters are completed', async () => {
    const page = await open();
    await page.keyboard.type('lamp pro');
    await page.getByRole('option', { name: /project:/ }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Search all chats').inputValue()).toBe('lamp project:');
    await page.getByRole('option', { name: /other/ }).waitFor();
    await page.keyboard.type('oth');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Search all chats').inputValue()).toBe('lamp project:other ');
    await expect.poll(() => told(page)).toContain('2 hits');
    await page.keyboard.type('is:');
    await page.getByRole('option', { name: /error/ }).click();
    await expect.poll(() => told(page)).toContain('1 hit ');
  });

  test('filters are chips: put in, and taken out', async () => {
    const page = await open('lamp project:other');
    await expect.poll(() => told(page)).toContain('2 hits');
    await page.getByRole('button', { name: 'Errors' }).click();
    await expect.poll(() => told(page)).toContain('1 hit ');
    await expect.poll(() => query(page)).toBe('lamp project:other is:error');
    await page.getByRole('button', { name: 'Take out project: other' }).click();
    await expect.poll(() => told(page)).toContain('4 hits');
    expect(await page.getByRole('button', { name: 'Errors' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('more comes when asked for', async () => {
    const page = await open('lighthouse');
    await expect.poll(() => page.locator('a.hit').count()).toBe(30);
    await page.getByRole('button', { name: /Show more \(18 left\)/ }).click();
    await expect.poll(() => page.locator('a.hit').count()).toBe(48);
    expect(await page.getByRole('button', { name: /Show more/ }).count()).toBe(0);
  });

  test('no result says what was searched and offers to widen', async () => {
    const page = await open('lightho project:other');
    await page.getByText('Nothing found').waitFor();
    expect(await page.locator('.search-none').textContent()).toContain('within project:other');
    await page.getByRole('button', { name: 'Words that begin so' }).click();
    await expect.poll(() => told(page)).toContain('12 hits');
    await expect.poll(() => query(page)).toBe('lightho* project:other');
  });

  test('a query that cannot be read is told kindly, without asking the server', async () => {
    const page = await open();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/search')) asked += 1;
    });
    await page.keyboard.type('rol:user');
    await page.getByText('There is no filter "rol:".').waitFor();
    expect(await page.locator('.search-wrong').textContent()).toContain('Did you mean role:?');
    await page.getByLabel('Search all chats').fill('role:nobody');
    await page.getByText('role: takes user, assistant, system; not "nobody".').waitFor();
    expect(asked).toBe(0);
  });

  test('markup in prompts and folders is text in every list', async () => {
    const page = await open('lantern');
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    for (const hash of ['#/', '#/usage?range=all']) {
      await page.evaluate((to) => {
        location.hash = to;
      }, hash);
      await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      await page.locator('[title="/work/<b>bold</b>"]').first().waitFor();
    }
    // The page fails on any dialog or refused load; nothing of it became an element.
    expect(await page.locator('img, script:not([src]), b').count()).toBe(0);
  });

  test('a secret is a pill in the list and in what is found, and is nowhere in the page', async () => {
    const page = await open('lantern');
    await page.locator('a.hit .secret').first().waitFor();
    expect(await page.locator('a.hit .secret').first().textContent()).toMatch(/^•••• /);
    await page.evaluate(() => {
      location.hash = '#/';
    });
    await page.locator('.chat-row .secret').first().waitFor();
    expect(await page.content()).not.toContain(SECRET);
  });

  test('phone width, and axe finds nothing serious', async () => {
    const page = await open('lamp is:error', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await page.locator('a.hit').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await seriousFindings(page)).toEqual([]);
    const wide = await open('lig project:');
    await wide.getByRole('option').first().waitFor({ state: 'attached' });
    expect(await seriousFindings(wide)).toEqual([]);
  });
});
