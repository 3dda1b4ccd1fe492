/** An exported page, opened from disk in a real browser: nothing but the file is asked for, and nothing in it runs but the page itself. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/format/json.ts';
import { assistant, chain, result, thinking, toJsonl, toolUse, user } from '../../support/build.ts';
import { tempFolder } from '../../support/files.ts';
import { skein } from '../../support/skein.ts';
import { DEMO, describeBrowser, openPage, seriousFindings } from '../../web/harness.ts';

const AUDIT = '3cb0e47f';
const RATE_LIMIT = 'cda1d12f';

function exported(selector: string, root: string, ...more: string[]): string {
  const file = join(tempFolder(), 'chat.html');
  const ran = skein(['export', 'html', selector, '--root', root, '--to', file, ...more]);
  expect([ran.code, ran.text]).toEqual([0, expect.stringContaining(file)]);
  return file;
}

/** From disk; the file is the only thing that is loaded. */
async function openFile(file: string, options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
  const url = pathToFileURL(file).href;
  const page = await openPage({ url: 'about:blank', origin: 'null' }, options);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  onTestFinished(() => {
    expect(asked.filter((each) => !each.startsWith('data:')).map((each) => each.split('#')[0])).toEqual([url]);
  });
  await page.goto(url + (options.hash ?? ''));
  await page.locator('.row-turn').first().waitFor();
  return page;
}

describeBrowser('an exported page', () => {
  test('opens from disk with its sub-agents, and tells where it comes from', async () => {
    const page = await openFile(exported(AUDIT, DEMO));
    expect(await page.title()).toContain('Before we open the API');
    await page.locator('.row-call', { hasText: 'Audit of request input' }).getByRole('button').first().click();
    await page.locator('.row[data-depth="1"]').first().waitFor();
    const inner = page.locator('.row[data-depth="1"].row-call', { hasText: 'server.ts' }).first();
    await inner.getByRole('button').first().click();
    expect(await inner.locator('.call-parts').innerText()).toContain('createServer');
    await page.locator('.standalone-about').click();
    const about = await page.getByRole('dialog', { name: 'About this file' }).innerText();
    expect(about).toContain('home folders and user names');
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('has no thinking unless asked for, one branch unless asked for all', async () => {
    const page = await openFile(exported(RATE_LIMIT, DEMO));
    expect(await page.locator('.thinking').count()).toBe(0);
    expect(await page.locator('.forks').count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Branch' }).count()).toBe(0);
  });

  test('switches branches', async () => {
    const page = await openFile(exported(RATE_LIMIT, DEMO, '--all-branches'));
    const forks = page.locator('.forks');
    await forks.waitFor();
    expect(await forks.innerText()).toContain('2 of 2');
    const before = await page.locator('.row-turn').allInnerTexts();
    await forks.getByRole('button', { name: 'Previous branch' }).click();
    await expect.poll(() => forks.innerText()).toContain('1 of 2');
    await expect.poll(() => page.locator('.row-turn').allInnerTexts()).not.toEqual(before);
  });

  test('replays step by step: buttons, keys, play to the end', async () => {
    const page = await openFile(exported(AUDIT, DEMO, '--replay'));
    const rows = () => page.locator('.row').count();
    const place = () => page.locator('.player [role=status]').innerText();
    expect([await rows(), await place()]).toEqual([1, expect.stringMatching(/^1 of \d+$/)]);
    await page.keyboard.press('ArrowRight');
    await expect.poll(rows).toBe(2);
    await page.getByRole('button', { name: 'One step on' }).click();
    await expect.poll(rows).toBe(3);
    await page.locator('main').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('ArrowLeft');
    await expect.poll(rows).toBe(2);
    await page.keyboard.press('Space');
    await expect.poll(place, { timeout: 10_000 }).toMatch(/^3 of/);
    await page.keyboard.press('Space');
    expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(1);
    await page.keyboard.press('End');
    const last = Number((await place()).split(' of ')[1]);
    await expect.poll(place).toBe(`${last} of ${last}`);
    await expect.poll(() => page.locator('.outline li, .outline a, .outline button').count()).toBeGreaterThan(2);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('at phone width nothing is wider than the window', async () => {
    const page = await openFile(exported(AUDIT, DEMO, '--replay'), { viewport: { width: 390, height: 800 } });
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('.row').count()).toBeGreaterThan(3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });

  test('can be read without scripts', async () => {
    const page = await openPage({ url: 'about:blank', origin: 'null' }, { javaScriptEnabled: false });
    await page.goto(pathToFileURL(exported(AUDIT, DEMO)).href);
    expect(await page.locator('noscript').innerText()).toContain('have one agent audit');
  });

  test('the index page of a project leads to its chats', async () => {
    const folder = join(tempFolder(), 'out');
    expect(skein(['export', 'html', 'project:tidepool', '--root', DEMO, '--to', folder]).code).toBe(0);
    const page = await openPage({ url: 'about:blank', origin: 'null' });
    await page.goto(pathToFileURL(join(folder, 'index.html')).href);
    expect(await page.locator('h1').innerText()).toBe('~/work/tidepool');
    expect(await page.locator('li').count()).toBe(3);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByText('Stale tide after midnight').click();
    await page.locator('.row-turn').first().waitFor();
  });
});

const ATTACKS = [
  '</script><script>window.pwned=1</script>',
  '<!--<script>window.pwned=1',
  '--></noscript><img src=x onerror="window.pwned=1">',
  '\u2028window.pwned=1\u2029',
  '<svg onload=window.pwned=1><style>@import "http://evil.invalid/x.css"</style>',
  '[click](javascript:window.pwned=1) ![x](http://evil.invalid/x.png) <http://evil.invalid>',
  '"><iframe srcdoc="<script>parent.pwned=1</script>">',
  '</style></title></textarea><base href="http://evil.invalid/">',
  '\u001b]8;;javascript:window.pwned=1\u0007x\u001b]8;;\u0007\u001b[31mred',
  "';alert(1)//",
];
const ALL = ATTACKS.join('\n');

function hostileLines(): JsonObject[] {
  return [
    user(ALL),
    assistant([thinking(ALL), { type: 'text', text: ALL }], { id: 'm1', stop: 'tool_use', model: ALL }),
    assistant(toolUse('t1', 'Bash', { command: ALL, description: ALL }), { id: 'm1', stop: 'tool_use' }),
    result('t1', ALL, { toolUseResult: { stdout: ALL, stderr: ALL } }),
    assistant(toolUse('</script>', ATTACKS[0], { [ALL]: ALL }), { id: 'm2', stop: 'tool_use' }),
    result('</script>', ALL, { isError: true, toolUseResult: `Error: ${ALL}` }),
    assistant(`token=ghp_abcdefghijklmnopqrstuvwxyz0123456789 ${ALL}`, { id: 'm3' }),
    { type: 'custom-title', customTitle: ALL, sessionId: 'session-1' },
    { type: 'constructor', uuid: '__proto__' },
  ];
}

describeBrowser('a hostile transcript in an exported page', () => {
  test('runs nothing, asks for nothing', async () => {
    const root = tempFolder();
    const folder = join(root, 'projects', '-w');
    mkdirSync(folder, { recursive: true });
    const lines = chain(hostileLines(), { cwd: `/w/${ALL}`, gitBranch: ALL });
    writeFileSync(join(folder, '11111111-1111-4111-8111-111111111111.jsonl'), toJsonl(lines));
    const file = exported('11111111', root, '--thinking', '--replay');
    const bytes = readFileSync(file, 'utf8');
    expect(bytes.match(/<\/script/gi)).toHaveLength(2);
    expect(bytes).not.toContain('<!--');
    expect(/id="skein-data">(.*)<\/script>/.exec(bytes)?.[1]).not.toMatch(/[<\u2028\u2029]/);
    const page = await openFile(file);
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('.row').count()).toBeGreaterThan(4);
    for (let round = 0; round < 3; round += 1) {
      await page.evaluate(() => {
        for (const each of document.querySelectorAll<HTMLElement>('.row [aria-expanded="false"]')) each.click();
      });
      await page.waitForTimeout(300);
    }
    expect(await page.locator('.call-parts').count()).toBeGreaterThan(0);
    await page.locator('.standalone-about').click();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(
      await page.locator('iframe, base, .row script, .row img[src^="http"], .row a[href^="javascript"]').count(),
    ).toBe(0);
    expect(bytes).not.toContain('ghp_abc');
  });
});
