/** Many tabs of one browser, which has six connections for all of them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '../../src/format/json.ts';
import { describeBrowser, openPage, startViewer, type Viewer } from '../web/harness.ts';
import { idOf, longSession, sessionSet } from '../web/sets.ts';

const TABS = 9;

describeBrowser('many tabs', () => {
  const lines = longSession(1, 3);
  const set = sessionSet({ [idOf(1)]: lines.slice(0, 4) });
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root });
  });
  afterAll(() => viewer.stop());

  /** A browser without windows never hides a tab by itself. */
  const look = (page: Page, hidden: boolean) =>
    page.evaluate((isHidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const listening = async (page: Page) =>
    at(await page.evaluate(async () => (await fetch('/api/status')).json()), 'pages');

  test('those nobody sees hold no connection, and catch up when they are looked at', async () => {
    const first = await openPage(viewer, { hash: `#/chat/${idOf(1)}` });
    await first.getByText('answer 1 lorem').waitFor();
    const tabs = [first];
    while (tabs.length < TABS) {
      for (const tab of tabs) await look(tab, true);
      const next = await first.context().newPage();
      await next.goto(`${viewer.origin}/#/chat/${idOf(1)}`);
      await next.getByText('answer 1 lorem').waitFor();
      tabs.push(next);
    }
    await expect.poll(() => listening(first)).toBe(1);
    set.write(idOf(1), lines);
    await tabs.at(-1)?.getByText('answer 3 lorem').waitFor();
    expect(await first.getByText('answer 3 lorem').count()).toBe(0);
    await look(first, false);
    await first.getByText('answer 3 lorem').waitFor();
    expect(await listening(first)).toBe(2);
  });
});
