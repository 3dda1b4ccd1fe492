/** Accessibility: axe finds nothing serious, in light and dark, wide and narrow, folded and open. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeBrowser, openPage, seriousFindings, startViewer, type Viewer } from '../../web/harness.ts';

const AUDIT = '3cb0e47f-55e3-4645-8fb5-02da3479f365';
const RATE_LIMIT = 'cda1d12f-8ca9-4ff9-b154-503663c97fcc';
const SQLITE = 'bf4e6fb3-0923-45a9-979d-2e1e86dea165';
const BOOKSHELF = '70acae10-3f24-4b38-9b32-afc0736ce9e5';

describeBrowser('axe', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer();
  });
  afterAll(() => viewer.stop());

  test.each([
    ['light', 1400, SQLITE],
    ['dark', 1400, BOOKSHELF],
    ['light', 390, RATE_LIMIT],
    ['dark', 390, AUDIT],
  ] as const)('%s, %i px: nothing serious with everything open', async (colorScheme, width, id) => {
    const page = await openPage(viewer, { hash: `#/chat/${id}`, colorScheme, viewport: { width, height: 1200 } });
    await page.locator('.row-turn').first().waitFor();
    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLElement>('.row [aria-expanded="false"]')) button.click();
    });
    await page.locator('.call-parts, .row[data-depth="1"]').first().waitFor();
    await page.waitForTimeout(500);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('would find something: a button without a name', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${AUDIT}`, reducedMotion: 'reduce' });
    await page.locator('.row-turn').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
    expect(await seriousFindings(page)).toHaveLength(1);
  });
});
