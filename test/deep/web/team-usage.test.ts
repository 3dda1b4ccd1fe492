/** The usage page of a team in a real browser. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClickHouse, startClickHouse } from '../../support/clickhouse.ts';
import { insertRows } from '../../support/teamrows.ts';
import { insertFiles, type TeamFile } from '../../team/usage-sightings.ts';
import { describeBrowser, openPage, seriousFindings, startViewer, type Viewer } from '../../web/harness.ts';

const HOUR = 3_600_000;

/** A message an hour of the last three days, each after the cache was over. */
function work(session: string, owner: string, model: string): TeamFile {
  const told = Array.from({ length: 72 }, (_, n) => ({
    message: `${session}-${n}`,
    request: `r-${session}-${n}`,
    model,
    time: Date.now() - (72 - n) * HOUR,
    start: n,
    ended: true,
    output: 1000,
    write: 50_000 + n,
  }));
  return {
    session,
    name: `${session}.jsonl`,
    slug: `-work-${owner}`,
    project: `/work/${owner}`,
    owners: [owner],
    told,
  };
}

describeBrowser('the usage page of a team', () => {
  let engine: ClickHouse;
  let viewer: Viewer;
  beforeAll(async () => {
    engine = await startClickHouse();
    await insertFiles(engine, [
      work('aaaaaaaa-0000-4000-8000-000000000001', 'ann', 'claude-opus-4-5'),
      work('aaaaaaaa-0000-4000-8000-000000000002', 'bob', 'claude-sonnet-4-5'),
    ]);
    await insertRows(engine.admin, 'members', [
      { login: 'ann', team: 'red', removed: 0, version: 1 },
      { login: 'bob', team: 'blue', removed: 0, version: 1 },
    ]);
    await insertRows(engine.admin, 'budgets', [
      { scope: 'team', name: 'red', period: 'month', usd: 0.01, version: 1 },
      { scope: 'model', name: 'sonnet', period: 'month', usd: 1e6, version: 1 },
    ]);
    viewer = await startViewer({ args: ['--team', engine.url()] });
  });
  afterAll(async () => {
    await viewer.stop();
    await engine.stop();
  });

  const table = (title: string) => `section:has(h2:text-is("${title}"))`;

  test.each(['light', 'dark'] as const)(
    'teams, people, budgets and habits, without serious findings (%s)',
    async (colorScheme) => {
      const page = await openPage(viewer, { hash: '#/usage?range=all', colorScheme });
      await page.locator('.habits').waitFor();
      const names = (title: string) => page.locator(`${table(title)} tbody th`).allTextContents();
      expect(await names('Teams')).toEqual(['red', 'blue']);
      expect(await names('People')).toEqual(['p-ann', 'p-bob']);
      expect((await page.locator('.budget-state').allTextContents()).toSorted()).toEqual(['fine', 'over']);
      expect(await page.locator('.habits tbody tr').count()).toBeGreaterThan(0);
      expect(await page.locator('.habits').textContent()).toContain('Cache misses after a pause');
      expect(await seriousFindings(page)).toEqual([]);
    },
  );

  test('bars are stacked by what is chosen, by the keys alone; the choice is in the address', async () => {
    const page = await openPage(viewer, { hash: '#/usage?range=all' });
    await page.locator('.plot-legend').waitFor();
    const legend = async () =>
      (await page.locator('.plot-legend li').allTextContents()).map((text) => text.split(' ')[0]);
    expect(await legend()).toEqual(['opus-4-5', 'sonnet-4-5']);
    await page.getByRole('combobox', { name: 'Bars are stacked by' }).focus();
    await page.keyboard.press('End');
    await expect.poll(legend).toEqual(['red', 'blue']);
    expect(page.url()).toContain('stack=team');
    await page.locator('.plot svg').first().focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('.plot [role=status]').first().textContent()).toMatch(/red \$/);
  });

  test('at the width of a phone nothing is cut off', async () => {
    const page = await openPage(viewer, { hash: '#/usage?range=all', viewport: { width: 390, height: 800 } });
    await page.locator('.habits').waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wide).toBe(0);
  });
});
