/** The pictures of the README, made of the demo set: a chat with a diff open, and the usage page. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { asString, at, parseJson } from '../src/format/json.ts';
import { chromiumPath, IS_ROOT } from '../test/web/chromium.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs/images');
const CHAT = 'f6e7f4cc-702f-49a7-ab92-87a9bc517e98';
/** Soon after the demo set ends, so that "the last 30 days" are those in which something happened. */
const NOW = new Date('2026-11-14T12:00:00Z');
const LONG_AGO = new Date('2026-01-01T00:00:00Z');
/** Its letters are not in the fonts of every machine that may run this. */
const LEFT_OUT = 'projects/-home-ada-work---';

const home = mkdtempSync(join(tmpdir(), 'skein-pictures-'));
const sessions = join(home, '.claude');
cpSync(join(root, 'demo'), sessions, { recursive: true, filter: (path) => !path.includes(LEFT_OUT) });
rmSync(join(sessions, 'history.jsonl'), { force: true });
// What was written just now is taken for a session that is going on.
for (const file of globSync('**/*', { cwd: sessions })) utimesSync(join(sessions, file), LONG_AGO, LONG_AGO);
mkdirSync(images, { recursive: true });

const server = spawn(process.execPath, [join(root, 'bin/skein'), 'serve', '--no-open', '--json'], {
  env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({ executablePath: chromiumPath(), args: IS_ROOT ? ['--no-sandbox'] : [] });
try {
  const page = await browser.newPage({
    viewport: { width: 1400, height: 900 },
    colorScheme: 'light',
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  await page.clock.setFixedTime(NOW);
  await page.goto(await addressOf());
  // What each chat cost is counted beside the list.
  await page.locator('.chat-row', { hasText: '$' }).first().waitFor();
  await chat(page);
  await usage(page);
} finally {
  await browser.close();
  server.kill();
  await once(server, 'exit');
  rmSync(home, { recursive: true, force: true });
}

async function addressOf(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    const url = asString(at(parseJson(line), 'url'));
    if (url !== undefined) return url;
  }
  throw new Error('skein serve did not start');
}

async function chat(page: Page): Promise<void> {
  await page.locator(`[data-chat="${CHAT}"]`).click();
  await page.locator('.outline').getByText('Good find').click();
  const edit = page.locator('.call', { has: page.locator('.call-name', { hasText: /^Edit$/ }) }).first();
  await edit.locator('.call-toggle').click();
  await edit.locator('.diff').first().waitFor();
  await settled(page);
  await page.screenshot({ path: join(images, 'chat.png') });
}

async function usage(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.locator('.heat').waitFor();
  await settled(page);
  await page.screenshot({ path: join(images, 'usage.png') });
}

/** What is under the pointer or has the focus looks different. */
async function settled(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await page.waitForTimeout(800);
}
