/** Nothing in a transcript runs, loads or leaves: not in the text, not in what opens, not in the list. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeBrowser, openPage, startViewer, type Viewer } from '../web/harness.ts';
import { hostileLines } from '../web/hostile.ts';
import { idOf, sessionSet } from '../web/sets.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('no code of the page writes HTML', () => {
  const files = globSync('web/**/*.{ts,tsx}', { cwd: ROOT });
  expect(files.length).toBeGreaterThan(20);
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|srcdoc/;
  expect(files.filter((file) => forbidden.test(readFileSync(`${ROOT}${file}`, 'utf8')))).toEqual([]);
});

describeBrowser('a hostile transcript', () => {
  const set = sessionSet({ [idOf(1)]: hostileLines(1) });
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root });
  });
  afterAll(() => viewer.stop());

  test('runs nothing, asks nothing of others, breaks nothing: every row seen, every call opened', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(1)}` });
    await page.locator('.row-turn').first().waitFor();
    const seen = await page.evaluate(walkAndOpen);
    // Prompts, calls and notes of every payload.
    expect(seen.rows).toBeGreaterThan(23 * 15);
    expect(seen.opened).toBeGreaterThan(300);
    expect(seen.links.filter((href) => !/^(?:https?:|mailto:|#|\/api\/)/.test(href))).toEqual([]);
    expect(seen.foreign).toEqual([]);
    expect(seen.handlers).toBe(0);
    expect(seen.pwned).toBe(false);
    expect(await page.title()).not.toContain('pwned');
    expect(page.url()).toContain(viewer.origin);
  }, 180_000);

  test('nor does it in the list, the outline and the map', async () => {
    const page = await openPage(viewer);
    await page.locator('.column.chats').getByText('onerror').first().waitFor();
    await page.goto(`${viewer.origin}/#/chat/${idOf(1)}`);
    await page.locator('.outline').getByText('<script>').first().waitFor();
    await page.keyboard.press('m');
    await page.getByRole('dialog').waitFor();
    expect(await page.locator('body').textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(await page.evaluate(() => '__pwned' in window)).toBe(false);
  });
});

/** Runs in the page: goes down row by row, opens all there is to open, and notes what should not be there. */
async function walkAndOpen() {
  const box = document.querySelector('.scroller');
  if (box === null) throw new Error('no chat');
  const rows = new Set<string>();
  const links = new Set<string>();
  const foreign = new Set<string>();
  let [opened, handlers, still] = [0, 0, 0];
  const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
  while (still < 8) {
    for (const row of document.querySelectorAll<HTMLElement>('[data-key]')) {
      const key = row.dataset.key ?? '';
      if (!rows.has(key) && !row.classList.contains('row-unloaded')) {
        rows.add(key);
        for (const button of row.querySelectorAll<HTMLElement>('[aria-expanded="false"]')) {
          button.click();
          opened += 1;
        }
      }
    }
    await pause(40);
    for (const element of document.querySelectorAll('.rows-near *')) {
      for (const { name } of element.attributes) if (name.startsWith('on')) handlers += 1;
      if (element instanceof HTMLAnchorElement) links.add(element.getAttribute('href') ?? '');
      if (
        ['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'LINK', 'STYLE', 'BASE', 'META', 'FORM', 'VIDEO'].includes(
          element.tagName.toUpperCase(),
        )
      )
        foreign.add(element.tagName);
      const source = element.getAttribute('src');
      if (source !== null && !/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(source)) foreign.add(source);
    }
    const before = box.scrollTop;
    box.scrollTop += box.clientHeight * 0.8;
    await pause(40);
    still = box.scrollTop === before ? still + 1 : 0;
  }
  return { rows: rows.size, opened, handlers, links: [...links], foreign: [...foreign], pwned: '__pwned' in window };
}
