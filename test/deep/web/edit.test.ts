/** Slim, clone and repair in the page: the dry run is seen first, then a new session is written (S1). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectSlug } from '../../../src/format/slug.ts';
import { assistant, toJsonl, user } from '../../support/build.ts';
import { describeBrowser, openPage, seriousFindings, startViewer, type Viewer } from '../../web/harness.ts';
import { idOf, longSession, sessionLines, sessionSet } from '../../web/sets.ts';

describeBrowser('a new session of a chat', () => {
  const set = sessionSet({
    [idOf(1)]: longSession(1, 12, (turn) => (turn === 2 ? 9000 : 200)),
    [idOf(2)]: sessionLines(2, [user('first'), assistant(''), user('second'), assistant('fine')]),
    [idOf(3)]: longSession(3, 3),
  });
  const project = join(set.root, 'projects', projectSlug('/work/app'));
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root, args: ['--no-sync'] });
  });
  afterAll(() => viewer.stop());

  const open = async (id: string, verb: string, options: Parameters<typeof openPage>[1] = {}) => {
    const page = await openPage(viewer, { hash: `#/chat/${id}`, ...options });
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('button', { name: `${verb}…`, exact: true }).click();
    return page;
  };

  test('slim: the table, another preset, written, and the chat is called so in the list', async () => {
    const before = readdirSync(project);
    const page = await open(idOf(1), 'Slim');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row', { name: /^context/ }).waitFor();
    await dialog.getByText('tool results', { exact: true }).waitFor();
    await dialog.getByRole('radio', { name: /^bare.*~.* left$/ }).check();
    await dialog.getByText(/^bare: 0 of 12 turns.*12 calls removed/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(readdirSync(project)).toEqual(before);
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Slim by hand');
    await dialog.getByRole('button', { name: 'Write the new session' }).click();
    const command = dialog.locator('.edit-command code');
    await command.waitFor();
    const [added = '', ...others] = readdirSync(project).filter((name) => !before.includes(name));
    expect(others).toEqual([]);
    expect(await command.textContent()).toContain(`--resume ${added.replace('.jsonl', '')}`);
    await dialog.getByRole('link', { name: 'Open the chat' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.locator('.chat-row-title', { hasText: 'Slim by hand' }).waitFor();
    expect(readFileSync(join(project, added), 'utf8')).toContain('Slim by hand');
  });

  test('clone: up to the turn whose button was pressed', async () => {
    const before = readdirSync(project);
    const page = await openPage(viewer, { hash: `#/chat/${idOf(3)}` });
    await page.locator('.row-turn').nth(1).hover();
    await page.locator('.row-turn').nth(1).getByRole('button', { name: 'Clone the chat up to this turn' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('combobox', { name: 'Ends with' }).inputValue()).toBe('2');
    await dialog.getByText(/^3 turns, .* → 2 turns/).waitFor();
    await dialog.getByRole('button', { name: 'Write the new session' }).click();
    await dialog.locator('.edit-command').waitFor();
    const [added = ''] = readdirSync(project).filter((name) => !before.includes(name));
    const written = readFileSync(join(project, added), 'utf8');
    expect([written.includes('prompt 2:'), written.includes('prompt 3:')]).toEqual([true, false]);
  });

  test('repair: findings by line at phone width; a chat that is sound has nothing to write', async () => {
    const page = await open(idOf(2), 'Repair', { viewport: { width: 390, height: 800 } });
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^line 2: /).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(readFileSync(set.file(idOf(2)), 'utf8')).toBe(
      toJsonl(sessionLines(2, [user('first'), assistant(''), user('second'), assistant('fine')])),
    );
    const sound = await open(idOf(1), 'Repair');
    await sound.getByText('Nothing to repair').waitFor();
    expect(await sound.getByRole('button', { name: 'Write the new session' }).isDisabled()).toBe(true);
  });

  test('what cannot be done is told, and nothing can be written', async () => {
    const page = await open(idOf(3), 'Slim', { allow: /422/ });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Thousands of tokens' }).fill('0');
    await dialog.getByRole('alert').getByText('"0k" is too little.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Write the new session' }).isDisabled()).toBe(true);
  });
});
