/** A session that is being written, and secrets. */
import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/format/json.ts';
import { assistant, result, text, toJsonl, toolUse, user } from '../../support/build.ts';
import { describeBrowser, openPage, startViewer, type Viewer } from '../../web/harness.ts';
import { idOf, longSession, sessionLines, sessionSet } from '../../web/sets.ts';

/** Not a key of anyone; made of the letters keys are made of. */
const KEY = `AKIA${'QWERTYUIOPASDFGH'}`;

describeBrowser('a live session', () => {
  const lines = longSession(2, 40);
  const set = sessionSet({ [idOf(2)]: lines.slice(0, 30 * 4) });
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root });
  });
  afterAll(() => viewer.stop());
  const grow = (more: readonly JsonObject[]) => appendFileSync(set.file(idOf(2)), toJsonl(more));

  test('grows without moving who reads, and is followed by who is at the end', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(2)}` });
    await page.getByText('answer 1 lorem').waitFor();
    // In the middle, once all there is around has been measured.
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('j');
    const place = () => page.locator('[data-key="t5"]').boundingBox();
    await page.locator('.row.selected[data-key="t5"]').waitFor();
    await page.waitForTimeout(1300);
    const before = await place();
    grow(lines.slice(30 * 4, 31 * 4));
    await expect.poll(() => page.locator('.chat-facts').innerText(), { timeout: 20_000 }).toContain('31 prompts');
    await page.waitForTimeout(300);
    expect(await place()).toEqual(before);
    // At the end it goes on by itself.
    await page.keyboard.press('G');
    await page.getByText('answer 31 lorem').waitFor();
    grow(lines.slice(31 * 4, 32 * 4));
    await page.getByText('answer 32 lorem').waitFor({ timeout: 20_000 });
    await expect
      .poll(() =>
        page.evaluate(() => {
          const box = document.querySelector('.scroller');
          return box ? box.scrollHeight - box.scrollTop - box.clientHeight : -1;
        }),
      )
      .toBeLessThan(80);
  });

  test('shows a call while it runs, and its result when it comes', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(2)}` });
    await page.getByText('answer 1 lorem').waitFor();
    await page.keyboard.press('G');
    grow(lines.slice(32 * 4, 32 * 4 + 2));
    const call = page.locator('[data-key^="t32."].row-call');
    await call.locator('.call-state.pending').waitFor({ timeout: 20_000 });
    grow(lines.slice(32 * 4 + 2, 33 * 4));
    await expect.poll(() => call.locator('.call-state').count(), { timeout: 20_000 }).toBe(0);
    await page.getByText('answer 33 lorem').waitFor();
  });
});

describeBrowser('secrets', () => {
  const set = sessionSet({
    [idOf(3)]: sessionLines(3, [
      user('show me the settings'),
      assistant([text(`The key is \`${KEY}\`.`), toolUse('c1', 'Bash', { command: `echo ${KEY}` })], {
        id: 'm1',
        stop: 'tool_use',
      }),
      result('c1', `aws_access_key_id = ${KEY}\n`, {
        toolUseResult: { stdout: `aws_access_key_id = ${KEY}\n`, stderr: '', interrupted: false, isImage: false },
      }),
      assistant('Done.', { id: 'm2' }),
    ]),
  });
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root });
  });
  afterAll(() => viewer.stop());

  test('are pills; a click shows one, until the page is loaded again', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(3)}` });
    const pill = page.locator('.row-text .secret').first();
    await pill.waitFor();
    expect(await pill.innerText()).toBe('•••• aws key');
    expect(await page.content()).not.toContain(KEY);
    await pill.click();
    await page.locator('.secret.revealed').first().waitFor();
    expect(await page.locator('.row-text .secret.revealed').innerText()).toBe(KEY);
    await page.reload();
    await pill.waitFor();
    expect(await page.content()).not.toContain(KEY);
  });

  test('a switch shows all and hides them again', async () => {
    const page = await openPage(viewer, { hash: `#/chat/${idOf(3)}` });
    await page.locator('.row-text .secret').first().waitFor();
    await page.getByRole('button', { name: 'Show all secrets' }).click();
    await page.locator('.row-text', { hasText: KEY }).waitFor();
    expect(await page.locator('.call-argument').innerText()).toContain(KEY);
    await page.getByRole('button', { name: 'Hide secrets' }).click();
    await page.locator('.row-text .secret').first().waitFor();
    expect(await page.content()).not.toContain(KEY);
  });
});
