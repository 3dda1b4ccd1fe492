/** The rows of the viewer's server: the list of many chats, beside the SQL that gives the same from the index. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { ROOT } from './corpus.ts';

const CHATS = 5000;
const CACHE = join(ROOT, '.cache', 'bench');
const KEPT = join(CACHE, 'serve');
const milliseconds = (time: number) => `${time.toFixed(1)} ms`;

export async function benchServe({ node, skein, row }: Bench): Promise<void> {
  const root = manyChats();
  const env = { ...process.env, SKEIN_HOME: KEPT, HOME: KEPT };
  rmSync(KEPT, { recursive: true, force: true });
  mkdirSync(KEPT, { recursive: true });
  execFileSync(node, [skein, 'archive', 'sync', '--root', root], { env });
  const sql = sqlTime();
  const began = performance.now();
  const child = spawn(node, [skein, 'serve', '--json', '--no-open', '--port', '0', '--root', root], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const { origin, cookie } = await enter(child);
    const ready = performance.now() - began;
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const start = performance.now();
      const response = await fetch(origin + path, { headers: { cookie, ...headers } });
      const text = await response.text();
      return { time: performance.now() - start, text, response };
    };
    let slowest = 0;
    for (;;) {
      const { text, time } = await ask('/api/status');
      slowest = Math.max(slowest, time);
      const { read, sessions } = JSON.parse(text);
      if (sessions === CHATS && read === sessions) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const whole = performance.now() - began;
    const first = await ask('/api/chats');
    const times = [];
    for (let run = 0; run < 20; run += 1) times.push((await ask('/api/chats')).time);
    const etag = first.response.headers.get('etag') ?? '';
    const same = await ask('/api/chats', { 'if-none-match': etag });
    const list = Math.min(...times);
    console.log(
      `\nthe viewer with ${JSON.parse(first.text).chats.length} chats: answers after ${milliseconds(ready)}, all read after ${milliseconds(whole)}, the slowest answer meanwhile ${milliseconds(slowest)}; first list ${milliseconds(first.time)}, ${(first.text.length / 1e6).toFixed(1)} MB; unchanged ${milliseconds(same.time)} (${same.response.status}); its SQL ${milliseconds(sql)}`,
    );
    row(`list of ${CHATS} chats`, milliseconds(list), list / 50, '50 ms', 1);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(KEPT, { recursive: true, force: true });
  }
}

async function enter(child: ChildProcess): Promise<{ origin: string; cookie: string }> {
  if (child.stdout === null) throw new Error('no output');
  const [line] = await once(child.stdout, 'data');
  const url = new URL(JSON.parse(String(line)).url);
  const response = await fetch(url, { redirect: 'manual' });
  return { origin: url.origin, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

/** Reading all outlines of the index, which is what a list is made of. */
function sqlTime(): number {
  const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite');
  const db = new DatabaseSync(join(KEPT, 'index.db'), { readOnly: true });
  const start = performance.now();
  db.prepare('SELECT updated, body FROM outline').all();
  const time = performance.now() - start;
  db.close();
  return time;
}

/** Sessions of a few turns each, in forty projects. */
function manyChats(): string {
  const folder = join(CACHE, `chats-${CHATS}`);
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  for (let chat = 0; chat < CHATS; chat += 1) {
    const project = join(part, 'projects', `-work-project${chat % 40}`);
    mkdirSync(project, { recursive: true });
    const id = `${chat.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
    writeFileSync(join(project, `${id}.jsonl`), session(id, chat));
  }
  renameSync(part, folder);
  return folder;
}

function session(id: string, chat: number): string {
  const lines: string[] = [];
  let parent: string | null = null;
  for (let turn = 0; turn < 4; turn += 1) {
    for (const type of ['user', 'assistant']) {
      const uuid = `${id.slice(0, 8)}-${turn.toString(16).padStart(4, '0')}-4000-8000-${type === 'user' ? '1' : '2'}00000000000`;
      const content =
        type === 'user'
          ? `Question ${turn} of chat ${chat}: why does the build of part ${chat % 97} fail when the cache is cold and the worker count is above one?`
          : [{ type: 'text', text: `Answer ${turn}: the lock is taken twice.`.repeat(4) }];
      const message =
        type === 'user'
          ? { role: 'user', content }
          : {
              role: 'assistant',
              id: `msg_${chat}_${turn}`,
              model: 'claude-sonnet-4-5-20250929',
              content,
              stop_reason: 'end_turn',
              usage: {
                input_tokens: 10,
                output_tokens: 50,
                cache_creation_input_tokens: 0,
                cache_read_input_tokens: 0,
              },
            };
      const timestamp = new Date(Date.UTC(2026, 0, 1) + (chat * 1000 + turn * 10) * 1000).toISOString();
      const cwd = `/work/project${chat % 40}`;
      lines.push(
        JSON.stringify({
          parentUuid: parent,
          isSidechain: false,
          sessionId: id,
          version: '2.1.0',
          cwd,
          gitBranch: 'main',
          type,
          message,
          uuid,
          timestamp,
        }),
      );
      parent = uuid;
    }
  }
  return `${lines.join('\n')}\n`;
}
