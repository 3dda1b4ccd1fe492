/** The page with a chat of 50,000 messages, in a real browser: how long until it is read, how smoothly it scrolls. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumPath, IS_ROOT } from '../test/web/chromium.ts';
import type { Bench } from './bench.ts';
import { ROOT } from './corpus.ts';

const MESSAGES = 50_000;
const TURNS = 2000;
const CHAT = '5a5a5a5a-0000-4000-8000-000000050000';
const FOLDER = join(ROOT, '.cache', 'bench', `web-${MESSAGES}`);
/** Noise only adds: the least of so many runs. */
const RUNS = 3;

export async function benchWeb({ node, skein, row }: Pick<Bench, 'node' | 'skein' | 'row'>): Promise<void> {
  makeSession();
  const home = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  const server = spawn(node, [skein, 'serve', '--no-open', '--json', '--root', FOLDER], {
    env: { ...process.env, HOME: home, SKEIN_HOME: join(home, 'archive') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: IS_ROOT ? ['--no-sandbox'] : [],
  });
  try {
    const url = await firstUrl(server.stdout);
    const renders: Rendered[] = [];
    const frames: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      renders.push(await firstRender(page, url));
      frames.push(await worstFrame(page));
      await page.close();
    }
    const task = await longestTask(browser, url);
    console.log(
      `\na chat of ${MESSAGES} messages in ${TURNS} turns, in Chromium ${browser.version()}; the longest task of the page took ${ms(task)} of CPU`,
    );
    const first = Math.min(...renders.map(({ contents }) => contents));
    row('first render after data', ms(first), first / 150, '150 ms', 1);
    row('longest frame while scrolling to the end', ms(Math.min(...frames)), Math.min(...frames) / 100, '100 ms', 1);
  } finally {
    await browser.close();
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(home, { recursive: true, force: true });
  }
}

const ms = (time: number) => `${time.toFixed(0)} ms`;

async function firstUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const { url } = JSON.parse(line);
    if (typeof url === 'string') return url;
  }
  throw new Error('skein serve gave no URL');
}

interface Rendered {
  /** From the chat's data to its first turns on the screen, with the time it takes to ask for those. */
  readonly contents: number;
}

async function firstRender(page: Page, url: string): Promise<Rendered> {
  await page.goto(url);
  await page.locator('.shell').waitFor();
  await page.evaluate((id) => {
    location.hash = `#/chat/${id}`;
  }, CHAT);
  await page.locator('.row-turn').first().waitFor({ timeout: 60_000 });
  return page.evaluate(() => {
    const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN;
    return { contents: at('skein:rendered') - at('skein:data') };
  });
}

/** Two hundred frames at the speed of a turning wheel, then to the end as with the scroll bar: the longest time between two frames. */
async function worstFrame(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const box = document.querySelector('.scroller');
    if (box === null) throw new Error('no chat');
    const frame = () => new Promise<number>((done) => requestAnimationFrame(done));
    let [worst, last, still] = [0, await frame(), 0];
    for (let count = 0; still < 30; count += 1) {
      const before = box.scrollTop;
      box.scrollTop += count < 200 ? 300 : Math.max(3000, box.scrollHeight / 400);
      const now = await frame();
      worst = Math.max(worst, now - last);
      last = now;
      still = box.scrollTop === before ? still + 1 : 0;
    }
    return worst;
  });
}

/** A busy machine makes long frames of short tasks: what the page itself takes is told beside them. */
async function longestTask(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await firstRender(page, url);
  await browser.startTracing(page, { categories: ['toplevel'] });
  await worstFrame(page);
  const { traceEvents }: { traceEvents: readonly TraceEvent[] } = JSON.parse(String(await browser.stopTracing()));
  await page.close();
  const main = new Set(
    traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.includes('RunTask') && main.has(`${pid}/${tid}`));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of CPU, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

function makeSession(): void {
  const project = join(FOLDER, 'projects', '-work-long');
  const file = join(project, `${CHAT}.jsonl`);
  if (existsSync(file)) return;
  mkdirSync(project, { recursive: true });
  let parent: string | null = null;
  let count = 0;
  const lines: string[] = [];
  const push = (fields: object) => {
    count += 1;
    const uuid = `5a5a5a5a-1111-4000-8000-${String(count).padStart(12, '0')}`;
    const timestamp = new Date(Date.UTC(2026, 0, 2) + count * 1000).toISOString();
    const envelope = { parentUuid: parent, uuid, timestamp, sessionId: CHAT, version: '2.1.325', cwd: '/work/long' };
    lines.push(JSON.stringify({ ...envelope, isSidechain: false, ...fields }));
    parent = uuid;
  };
  const calls = (MESSAGES / TURNS - 1) / 2;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    push({
      type: 'user',
      message: { role: 'user', content: `Prompt ${turn}: ${'look at this again. '.repeat(turn % 7)}` },
    });
    for (let call = 1; call <= calls; call += 1) {
      const id = `toolu_${turn}_${call}`;
      const text = { type: 'text', text: WORDS[(turn + call) % WORDS.length] };
      const use = { type: 'tool_use', id, name: call % 3 === 0 ? 'Read' : 'Bash', input: INPUT(turn, call) };
      const content = call % 4 === 0 ? [text, use] : [use];
      const usage = { input_tokens: 10, output_tokens: 100, cache_read_input_tokens: 5000 };
      const message = {
        id: `msg_${turn}_${call}`,
        role: 'assistant',
        model: 'claude-test',
        content,
        stop_reason: 'tool_use',
        usage,
      };
      push({ type: 'assistant', message });
      const output = `line ${turn}\n`.repeat((turn * call) % 40);
      push({
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
      });
    }
  }
  writeFileSync(file, `${lines.join('\n')}\n`);
}

const INPUT = (turn: number, call: number) => ({ command: `grep -rn "needle ${turn}" src/part-${call}` });

const WORDS = [
  'I look at the file first.',
  '## What I found\n\nThe **limit** is kept in `src/limit.ts`, and *nobody* resets it:\n\n```ts\nexport const limit = new Map<string, number>();\n\nexport function take(key: string): boolean {\n  return (limit.get(key) ?? 0) > 0;\n}\n```\n\nSo it only grows.',
  'Three things are to be done:\n\n1. move the counter\n2. give it an end\n3. test both\n\n| what | before | after |\n|---|---|---|\n| keys | 10,000 | 100 |\n| time | 3 s | 20 ms |',
  `${'This takes a while to explain, since the two parts were written at different times by different people. '.repeat(6)}`,
];
