/** A chat with a branch: the person went back to an earlier prompt and took another way (H3). */
import { noteRestored } from './file-history.ts';
import { checkpoint, rewindAndPrompt } from './moves.ts';
import { TIDEPOOL } from './project-tidepool.ts';
import { close } from './surroundings.ts';
import { prompt, reply, think } from './talk.ts';
import { ask, bash, webFetch } from './tools.ts';
import { edit, read, restore, type Workspace, write } from './workspace.ts';
import { createSession, type DemoRoot, type Writer } from './writer.ts';

const REDIS_LIMIT = `import { Redis } from 'ioredis';

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');

/** Requests in the running minute; true while there is room. */
export async function allow(key: string, limit = 60): Promise<boolean> {
  const bucket = \`limit:\${key}:\${Math.floor(Date.now() / 60_000)}\`;
  const [[, count]] = (await redis.multi().incr(bucket).expire(bucket, 60).exec()) ?? [[null, 0]];
  return Number(count) <= limit;
}
`;

const LIMIT = `interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface Decision {
  readonly allowed: boolean;
  /** Whole seconds until the next token; 0 when allowed. */
  readonly retryAfter: number;
}

/** A token bucket for each key: \`size\` requests at once, refilled over a minute. */
export function createLimiter(size = 60): (key: string, now: number) => Decision {
  const buckets = new Map<string, Bucket>();
  const perMs = size / 60_000;
  return (key, now) => {
    const bucket = buckets.get(key) ?? { tokens: size, filledAt: now };
    bucket.tokens = Math.min(size, bucket.tokens + (now - bucket.filledAt) * perMs);
    bucket.filledAt = now;
    buckets.set(key, bucket);
    if (bucket.tokens < 1) return { allowed: false, retryAfter: Math.ceil((1 - bucket.tokens) / perMs / 1000) };
    bucket.tokens -= 1;
    return { allowed: true, retryAfter: 0 };
  };
}
`;

const LIMIT_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimiter } from '../src/limit.ts';

test('a full bucket takes its size at once, then asks to wait', () => {
  const limit = createLimiter(3);
  for (let i = 0; i < 3; i += 1) assert.equal(limit('a', 0).allowed, true);
  assert.deepEqual(limit('a', 0), { allowed: false, retryAfter: 20 });
});

test('tokens come back with time', () => {
  const limit = createLimiter(3);
  for (let i = 0; i < 4; i += 1) limit('a', 0);
  assert.equal(limit('a', 20_000).allowed, true);
});

test('keys do not share a bucket', () => {
  const limit = createLimiter(1);
  assert.equal(limit('a', 0).allowed, true);
  assert.equal(limit('b', 0).allowed, true);
});
`;

const SERVER_HEAD = `import { findStation, listStations } from './stations.ts';
import { eventsOfDay, heightAt, nextEvent } from './tides.ts';
import { dayKey, localTime } from './time.ts';

const port = Number(process.env.PORT ?? 4080);`;

const SERVER_WITH_LIMITER = `import { createLimiter } from './limit.ts';
${SERVER_HEAD}
const limit = createLimiter();`;

const SERVER_TAIL = `  const url = new URL(request.url ?? '/', 'http://localhost');
  const { status, body } = answer(url, Date.now());`;

const SERVER_LIMITED = `  const url = new URL(request.url ?? '/', 'http://localhost');
  const key = String(request.headers['x-api-key'] ?? request.socket.remoteAddress);
  const { allowed, retryAfter } = limit(key, Date.now());
  if (!allowed) {
    response.writeHead(429, { 'retry-after': String(retryAfter) });
    response.end();
    return;
  }
  const { status, body } = answer(url, Date.now());`;

export function rateLimit(root: DemoRoot, ws: Workspace): Writer {
  const w = createSession(root, {
    name: 'rate limit',
    version: '2.1.325',
    cwd: TIDEPOOL,
    model: 'claude-sonnet-4-5-20250929',
    start: '2026-11-05T14:02:11.000Z',
    gitBranch: 'main',
  });
  firstQuestion(w, ws);
  const before = checkpoint(w);
  const files = new Map(ws.files);
  withRedis(w, ws);
  restore(ws, files);
  noteRestored(w, files);
  inMemory(w, ws, before);
  close(w);
  return w;
}

function firstQuestion(w: Writer, ws: Workspace): void {
  prompt(
    w,
    'We open the API next month: about 40 requests a second at peak, one process behind a proxy. What would you do for' +
      ' rate limiting? Look at the server first, change nothing yet.',
    4,
  );
  reply(
    w,
    think('Look at how requests come in and whether there is any notion of a client: key, address, anything.'),
    "I'll look at the request path and at what is there already.",
    read(ws, 'src/server.ts'),
    bash('cat package.json && ls src test', 'Show dependencies and files', filesListing(ws), { ms: 210 }),
  );
  reply(
    w,
    think(
      'No framework, no dependencies, no client identity at all. Behind a proxy remoteAddress is the proxy, so limiting' +
        ' by address would throw everyone into one bucket. That has to be settled before choosing an algorithm.',
    ),
    'Before the how there is the *who*: behind your proxy every request has the same remote address.',
    ask(
      {
        question: 'What identifies a client?',
        header: 'Client',
        options: [
          ['API key', 'A header the client sends; address only as a fallback'],
          ['Forwarded address', 'The first address in X-Forwarded-For, trusted from your proxy only'],
          ['Both', 'A small allowance for each address, a larger one for keys'],
        ],
      },
      'API key',
      21_400,
    ),
  );
  reply(
    w,
    'Then these are the sensible ways:\n\n' +
      '| | state | bursts | two processes | cost |\n|---|---|---|---|---|\n' +
      '| fixed window | one counter a key | double at the edge | needs a shared store | tiny |\n' +
      '| **token bucket** | two numbers a key | allowed up to the size | needs a shared store | tiny |\n' +
      '| sliding log | a list a key | exact | needs a shared store | grows |\n\n' +
      'For one process and 40 requests a second I would take a **token bucket in memory**: about 40 lines, no' +
      ' dependency, and `Retry-After` falls out of the arithmetic. A shared store (Redis) buys you nothing until there' +
      ' is a second process, and then only the function behind `allow(key)` changes.\n\n' +
      'The natural place is before `answer()` in `src/server.ts`, so that a refused request costs nothing.',
  );
}

function filesListing(ws: Workspace): string {
  const manifest = (ws.files.get('package.json') ?? '').trimEnd();
  return `${manifest}\nsrc:\ncache.ts\nserver.ts\nstations.ts\ntides.ts\ntime.ts\n\ntest:\ntides.test.ts`;
}

function withRedis(w: Writer, ws: Workspace): void {
  prompt(w, 'Do it with Redis right away please, a second process will come at some point.', 95);
  reply(
    w,
    think('They want Redis. Check the recommended pattern for a counter with expiry so that it is atomic.'),
    'Let me check the recommended pattern first, so that counter and expiry cannot come apart.',
    webFetch(
      'https://docs.example.com/redis/patterns/rate-limiting',
      'What is the recommended atomic way to count requests in a window?',
      'The page recommends INCR and EXPIRE inside MULTI/EXEC, one key for each client and window. A window key should' +
        ' contain the number of the window, so that keys expire by themselves. For exact limits over sliding windows it' +
        ' shows a Lua script that trims a sorted set. It warns that the service has to decide what happens when Redis' +
        ' cannot be reached: refuse everything or let everything pass.',
      2_850,
    ),
  );
  reply(
    w,
    'A counter for each key and minute, in one transaction. I add the client and write the limiter.',
    bash(
      'npm install ioredis',
      'Install the Redis client',
      '\nadded 9 packages, and audited 10 packages in 3s\n\nfound 0 vulnerabilities',
      {
        ms: 3_400,
        asked: 5_200,
      },
    ),
    write(ws, 'src/limit-redis.ts', REDIS_LIMIT, { asked: 3_100 }),
  );
  reply(
    w,
    bash(
      'npm test',
      'Run the tests',
      "\n> tidepool@0.6.2 test\n> node --test test/*.test.ts\n\n[ioredis] Unhandled error event: Error: connect ECONNREFUSED 127.0.0.1:6379\n✖ test/tides.test.ts (30014.21ms)\n  'test timed out after 30000ms'",
      { exit: 1, ms: 31_200 },
    ),
  );
  reply(
    w,
    'The limiter is written, but it shows the price: **every test run and every laptop now needs a Redis**, and' +
      ' `createServer` has to become asynchronous up to the first byte. Also open: when Redis is away, do we refuse all' +
      ' requests or let all pass?\n\nI can put a fake in front for the tests. Shall I?',
  );
}

function inMemory(w: Writer, ws: Workspace, before: ReturnType<typeof checkpoint>): void {
  w.permissionMode = 'acceptEdits';
  rewindAndPrompt(
    w,
    before,
    'No Redis, no new dependency. Token bucket in memory, per API key, 60 a minute, 429 with Retry-After. With tests.',
    140,
  );
  reply(
    w,
    think(
      'Make the clock an argument so the tests need no timers. createLimiter(size) returns a function (key, now). The' +
        ' server holds one limiter.',
    ),
    'The clock comes in as an argument, so the tests need no timers.',
    write(ws, 'src/limit.ts', LIMIT),
    write(ws, 'test/limit.test.ts', LIMIT_TEST),
    edit(ws, 'src/server.ts', SERVER_HEAD, SERVER_WITH_LIMITER),
    edit(ws, 'src/server.ts', SERVER_TAIL, SERVER_LIMITED),
  );
  reply(w, bash('npm test', 'Run the tests', testRun(5), { ms: 1_240 }));
  reply(
    w,
    'Done: `src/limit.ts` (25 lines), three tests, and the check in front of `answer()`.\n\n' +
      '```\nHTTP/1.1 429 Too Many Requests\nretry-after: 1\n```\n\n' +
      'A client may use its 60 at once and then gets one a second. Without `x-api-key` the remote address is the key.',
  );
  prompt(w, 'What happens to that map when someone sends a random key with every request?', 74);
  reply(
    w,
    think(
      'It grows without bound: one bucket for each key ever seen. A bucket that was not used for a minute is full again, so' +
        ' it says nothing; dropping the least recently used one loses next to nothing.',
    ),
    'It grows for ever: one bucket for each key ever seen, about 120 bytes each, so 40 requests a second would cost some' +
      ' 400 MB a day. But a bucket that rested for a minute is full again and says nothing that a missing one does not. So:' +
      ' keep the most recently used 10,000.',
    edit(
      ws,
      'src/limit.ts',
      '    buckets.set(key, bucket);\n',
      `    buckets.delete(key);
    buckets.set(key, bucket);
    const longestUnused = buckets.keys().next().value;
    if (buckets.size > 10_000 && longestUnused !== undefined) buckets.delete(longestUnused);
`,
    ),
    edit(
      ws,
      'test/limit.test.ts',
      "test('keys do not share a bucket'",
      `test('random keys do not fill the memory or lock out a busy one', () => {
  const limit = createLimiter(2);
  for (let i = 0; i < 50_000; i += 1) limit(\`random-\${i}\`, i);
  assert.equal(limit('late', 50_000).allowed, true);
});

test('keys do not share a bucket'`,
    ),
  );
  reply(w, bash('npm test', 'Run the tests', testRun(6), { ms: 1_310 }));
  reply(
    w,
    'Capped at 10,000 buckets (about 1.2 MB); the longest unused goes first. One thing remains by design: whoever sends random keys' +
      ' is never limited, because each key is new. If that worries you, only accept keys you have issued.',
  );
}

function testRun(count: number): string {
  const summary = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'];
  const counts: Record<string, number> = { tests: count, pass: count };
  const names = [
    ...(count > 5 ? ['random keys do not fill the memory or lock out a busy one (21.4ms)'] : []),
    'keys do not share a bucket (0.1ms)',
    'a day has three or four events, high and low in turn (2.5ms)',
    'the next event is the first one after now (0.6ms)',
  ];
  const lines = [
    '',
    '> tidepool@0.6.2 test',
    '> node --test test/*.test.ts',
    '',
    '✔ a full bucket takes its size at once, then asks to wait (1.1ms)',
    '✔ tokens come back with time (0.2ms)',
    ...names.map((name) => `✔ ${name}`),
    ...summary.map((name) => `ℹ ${name} ${counts[name] ?? 0}`),
    'ℹ duration_ms 188.2',
  ];
  return lines.join('\n');
}
