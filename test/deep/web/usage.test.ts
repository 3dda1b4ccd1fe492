/** The usage page in a real browser, beside what the command says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asArray, asNumber, asObject, at } from '../../../src/format/json.ts';
import { skein } from '../../support/skein.ts';
import { DEMO, describeBrowser, openPage, seriousFindings, startViewer, type Viewer } from '../../web/harness.ts';
import { writeChat } from '../../web/sets.ts';

const DAY = 86_400_000;

describeBrowser('usage', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer();
  });
  afterAll(() => viewer.stop());

  const open = async (params = 'range=all', more: Parameters<typeof openPage>[1] = {}): Promise<Page> => {
    const page = await openPage(viewer, { hash: `#/usage?${params}`, ...more });
    await page.locator('.figure-value').first().waitFor();
    return page;
  };
  const figures = (page: Page) => page.locator('.figure-value').allTextContents();
  const told = (args: string[]) => skein(['usage', ...args, '--json', '--root', DEMO]).json();

  test('four numbers first, the same as the command counts', async () => {
    const totals = asObject(at(told(['--by', 'total']), 'totals')) ?? {};
    const number = (name: string) => asNumber(totals[name]) ?? 0;
    const sent = number('input') + number('cacheCreation') + number('cacheRead');
    const page = await open();
    expect(await figures(page)).toEqual([
      `$${number('costUSD').toFixed(2)}`,
      `${((sent + number('output')) / 1e6).toFixed(2)}M`,
      `${Math.round((number('cacheRead') / sent) * 100)}%`,
      '2 h 30 min',
    ]);
  });

  test('bars by day, week and month hold the same sum; the choice is in the address', async () => {
    const page = await open();
    const bars = page.locator('.plot').first();
    const total = async () =>
      (await bars.locator('tbody tr td:last-child').allTextContents()).reduce(
        (all, text) => all + Number(text.slice(1)),
        0,
      );
    expect(await bars.locator('tbody tr').count()).toBe((asArray(at(told(['--by', 'day']), 'rows')) ?? []).length);
    const byDay = await total();
    await page.getByRole('button', { name: 'Months' }).click();
    await expect
      .poll(() => bars.locator('tbody tr').count())
      .toBe((asArray(at(told(['--by', 'month']), 'rows')) ?? []).length);
    expect(await total()).toBeCloseTo(byDay, 1);
    expect(page.url()).toContain('by=month');
    await page.reload();
    await bars.locator('tbody tr').first().waitFor({ state: 'attached' });
    expect(await page.getByRole('button', { name: 'Months' }).getAttribute('aria-pressed')).toBe('true');
    expect(await total()).toBeCloseTo(byDay, 1);
  });

  test('a figure explains itself: kinds of tokens, messages, prices, lines', async () => {
    const page = await open();
    await page.getByRole('button', { name: /^Cost/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('84 messages, each counted once').waitFor();
    expect(await dialog.locator('.usage-table tbody th').allTextContents()).toEqual([
      'Cache writes',
      'Cache reads',
      'Output',
      'Input',
    ]);
    const first = dialog.locator('.explain-messages li').first();
    await first.locator('summary').click();
    expect(await first.textContent()).toMatch(/Output: \d+ × \$15 a million = \$/);
    expect(await first.textContent()).toContain('.jsonl:');
    await dialog.getByRole('button', { name: 'Later' }).click();
    await dialog.getByText('51–84').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('a bar explains its day, by pointer and by keys', async () => {
    const page = await open();
    const plot = page.locator('.plot svg').first();
    const last = page.locator('.plot g[data-key]').last();
    const day = await last.getAttribute('data-key');
    await last.hover();
    await page.locator('.tip').waitFor();
    await plot.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('each counted once').waitFor();
    const rows = asArray(at(told(['--by', 'day', '--since', day ?? '', '--until', day ?? '']), 'rows')) ?? [];
    expect(await page.getByRole('dialog').locator('h3').textContent()).toContain(
      `${asNumber(at(rows[0], 'messages'))} messages`,
    );
  });

  test('the dearest chat says why and opens', async () => {
    const page = await open();
    const first = page.locator('.dearest li').first();
    await first.waitFor();
    expect(await first.textContent()).toMatch(/\$1\.79.*\(5\.2× the usual\)/);
    await first.getByRole('button').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('20 messages, each counted once').waitFor();
    await dialog.locator('summary').first().click();
    await dialog.getByRole('link', { name: 'Open it in the chat' }).first().click();
    await page.waitForURL(/#\/chat\/bf4e6fb3.*at=/);
  });

  test('tools come by failures or time; a failure leads to its search', async () => {
    const page = await open();
    const tools = page.locator('.tools tbody th');
    await tools.first().waitFor();
    expect((await tools.allTextContents()).slice(0, 2)).toEqual(['Bash', 'Edit']);
    await page.getByRole('button', { name: 'Calls' }).click();
    expect((await tools.allTextContents()).slice(0, 3)).toEqual(['Bash', 'Edit', 'Read']);
    await page.locator('.tools a').first().click();
    await expect.poll(() => decodeURIComponent(page.url())).toContain('#/search?q=tool:Bash+is:error');
    await page.locator('a.hit').first().waitFor();
  });

  test('a project narrows everything; nothing in a time offers all of it', async () => {
    const page = await open();
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'papertrail' });
    await expect.poll(() => figures(page).then(([cost]) => cost)).toBe('$1.98');
    expect(page.url()).toContain('project=%2Fhome%2Fada%2Fwork%2Fpapertrail');
    await page.evaluate(() => {
      location.hash = '#/usage?range=7d&project=%2Fno%2Fsuch';
    });
    await page.getByRole('button', { name: 'Show everything' }).click();
    await expect.poll(() => figures(page).then(([cost]) => cost)).toBe('$2.84');
  });

  test.each(['light', 'dark'] as const)(
    'axe finds nothing serious, at desk and phone width (%s)',
    async (colorScheme) => {
      const page = await open('range=all', { colorScheme });
      await page.locator('.tools').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 800 });
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      expect(await page.locator('.whole').evaluate((box) => box.scrollWidth)).toBe(390);
      expect(await seriousFindings(page)).toEqual([]);
      await page.locator('.figure').first().click();
      await page.getByRole('dialog').getByText('each counted once').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    },
  );
});

describeBrowser('usage that is not whole', () => {
  const root = mkdtempSync(join(tmpdir(), 'skein-usage-'));
  let viewer: Viewer;
  beforeAll(async () => {
    const started = (days: number) => new Date(Date.now() - days * DAY).toISOString();
    writeChat(root, {
      number: 1,
      started: started(1),
      model: 'claude-sonnet-4-5-20250929',
      exchanges: [{ prompt: 'a', answer: 'b' }],
    });
    writeChat(root, {
      number: 2,
      started: started(2),
      model: 'nobody-knows-1',
      exchanges: [{ prompt: 'c', answer: 'd' }],
    });
    writeChat(root, {
      number: 3,
      started: started(200),
      model: 'claude-opus-4-5-20251101',
      exchanges: [{ prompt: 'e', answer: 'f' }],
    });
    writeChat(root, {
      number: 4,
      started: started(3),
      unrecorded: true,
      exchanges: [{ prompt: 'g', answer: 'Words that were never counted, some forty tokens of them or so.' }],
    });
    viewer = await startViewer({ root });
  });
  afterAll(async () => {
    await viewer.stop();
    rmSync(root, { recursive: true, force: true });
  });

  test('a model without a price is named, and its part of the sum is open', async () => {
    const page = await openPage(viewer, { hash: '#/usage' });
    await expect.poll(() => page.locator('.figure-value').first().textContent()).toMatch(/^\$0\.\d+\+\?$/);
    expect(await page.locator('.usage-notes').textContent()).toContain('No price is known for nobody-knows-1');
    expect(await page.locator('tr', { hasText: 'nobody-knows-1' }).locator('button').textContent()).toBe('?');
    // What was not recorded is told beside the number, and estimated apart from it.
    expect(await page.locator('.figure-mark').getAttribute('title')).toMatch(
      /output of 1 message was not recorded; about 1\d more/,
    );
    expect(await page.locator('.usage-notes').textContent()).toContain('* The output of 1 message was not recorded');
    // The usual time is a month: the old chat is not in it.
    expect(await page.locator('.usage-section', { hasText: 'Models' }).locator('tbody tr').count()).toBe(2);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => page.locator('.usage-section', { hasText: 'Models' }).locator('tbody tr').count()).toBe(3);
  });
});
