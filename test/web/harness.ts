/** The viewer in a real browser: `skein serve` with a home of its own, and pages that fail the test when anything odd happens in them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished } from 'vitest';
import { asString, isObject, parseJson } from '../../src/format/json.ts';
import { BIN } from '../support/skein.ts';
import { chromiumPath, IS_ROOT, NO_BROWSER } from './chromium.ts';

/** Tests in a browser; left out as a whole with SKEIN_NO_BROWSER=1. */
export const describeBrowser = NO_BROWSER ? describe.skip : describe;

export const DEMO = fileURLToPath(new URL('../../demo/', import.meta.url));

let launched: Promise<Browser> | undefined;

export function browser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: chromiumPath(), args: IS_ROOT ? ['--no-sandbox'] : [] });
  return launched;
}

afterAll(async () => {
  await (await launched)?.close();
  launched = undefined;
});

export interface Viewer {
  /** With the token, as it is opened first. */
  readonly url: string;
  readonly origin: string;
  readonly home: string;
  stop(): Promise<void>;
}

export interface ViewerOptions {
  /** A folder with `projects/`; without it the machine has no sessions, and the demo set is shown. */
  readonly root?: string;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

/** Who starts one stops it: in `afterAll`, or `onTestFinished`. */
export async function startViewer({ root, args = [], env = {} }: ViewerOptions = {}): Promise<Viewer> {
  const home = mkdtempSync(join(tmpdir(), 'skein-web-'));
  mkdirSync(join(home, '.claude'), { recursive: true });
  const given = root === undefined ? [] : ['--root', root];
  const child = spawn(process.execPath, [BIN, 'serve', '--no-open', '--json', ...given, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home, TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await urlOf(child);
  return {
    url,
    origin: new URL(url).origin,
    home,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function urlOf(child: ChildProcess): Promise<string> {
  let errors = '';
  child.stderr?.on('data', (data) => {
    errors += String(data);
  });
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const json = parseJson(line);
    const url = isObject(json) ? asString(json.url) : undefined;
    if (url !== undefined) return url;
  }
  throw new Error(`skein serve ended without a URL: ${errors}`);
}

export interface OpenOptions extends BrowserContextOptions {
  /** `#/chat/ID?at=…` */
  readonly hash?: string;
  /** Console errors that belong to the test. */
  readonly allow?: RegExp;
}

/** A page of its own, with its own cookies. It must end without errors, dialogs, refused loads and requests to elsewhere. */
export async function openPage(viewer: Pick<Viewer, 'url' | 'origin'>, options: OpenOptions = {}): Promise<Page> {
  const { hash = '', allow, ...contextOptions } = options;
  const context = await (await browser()).newContext({ viewport: { width: 1400, height: 900 }, ...contextOptions });
  const page = await context.newPage();
  const problems = watch(page, viewer.origin);
  onTestFinished(async () => {
    await context.close();
    expect(problems.filter((problem) => allow === undefined || !allow.test(problem))).toEqual([]);
  });
  await page.goto(viewer.url, { waitUntil: 'domcontentloaded' });
  if (hash !== '') {
    await page.evaluate((to) => {
      location.hash = to;
    }, hash);
  }
  return page;
}

/** Everything a page should not do. */
function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => problems.push(`popup: ${popup.url()}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:')
      problems.push(`request: ${request.url()}`);
  });
  page.on('framenavigated', (frame) => {
    const url = new URL(frame.url());
    if (url.origin !== origin && frame.url() !== 'about:blank') problems.push(`navigated: ${frame.url()}`);
  });
  return problems;
}

/** What axe finds that is serious or worse, as lines to read. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const { source } = await import('axe-core').then((axe) => axe.default);
  // The page's policy lets no script in: this one comes through the debugger.
  await page.evaluate(source);
  const results = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  return axeLines(results);
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact?: string | null;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

function axeLines(results: unknown): string[] {
  return (results as AxeResults).violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
    );
}
