/** A chat with sub-agents: two at once, one of them with an agent of its own, later one in the background (L3). */
import { agent, backgroundAgent } from './agents.ts';
import { TIDEPOOL } from './project-tidepool.ts';
import { close } from './surroundings.ts';
import { prompt, reply, think } from './talk.ts';
import { bash, mcp } from './tools.ts';
import { edit, read, type Workspace, write } from './workspace.ts';
import { createSession, type DemoRoot, type Writer } from './writer.ts';

const HAIKU = 'claude-haiku-4-5-20251001';
const SONNET = 'claude-sonnet-4-5-20250929';

const ROUTES = `10:type Answer = { status: number; body: unknown };
12:const notFound: Answer = { status: 404, body: { error: 'no such station' } };
16:  if (kind !== 'stations') return { status: 404, body: { error: 'not found' } };
17:  if (!id) return { status: 200, body: listStations() };
21:    case 'now':
23:    case 'next': {
27:    case 'day': {
32:      return { status: 200, body: station };
38:  const key = String(request.headers['x-api-key'] ?? request.socket.remoteAddress);
41:    response.writeHead(429, { 'retry-after': String(retryAfter) });`;

export function audit(root: DemoRoot, ws: Workspace): Writer {
  const w = createSession(root, {
    name: 'audit',
    version: '2.1.325',
    cwd: TIDEPOOL,
    model: 'claude-opus-4-5-20251101',
    start: '2026-11-12T16:08:03.000Z',
    gitBranch: 'main',
  });
  look(w, ws);
  fixFirst(w, ws);
  fileRest(w);
  close(w);
  return w;
}

const inputTask = (ws: Workspace) => ({
  type: 'Explore',
  model: HAIKU,
  description: 'Audit of request input',
  prompt:
    'Read-only audit of /home/ada/work/tidepool. List every place where something from a request (path, query, header)' +
    ' reaches the code, and what happens with odd values: empty, very long, wrong type. Report file, line, consequence.',
  work: (a: Writer) => {
    reply(
      a,
      bash(
        "grep -nE 'searchParams|pathname|headers|request\\.' src/*.ts",
        'Find where requests are read',
        `src/server.ts:15:  const [, kind, id, what] = url.pathname.split('/');
src/server.ts:28:      const day = url.searchParams.get('date') ?? dayKey(now);
src/server.ts:37:  const url = new URL(request.url ?? '/', 'http://localhost');
src/server.ts:38:  const key = String(request.headers['x-api-key'] ?? request.socket.remoteAddress);`,
        { ms: 48 },
      ),
      read(ws, 'src/server.ts'),
      read(ws, '.env.example'),
    );
    reply(
      a,
      think(
        'date goes unchecked into eventsOfDay, which uses it as a cache key and parses it. What does scan do with NaN?',
      ),
      read(ws, 'src/tides.ts', { offset: 22, limit: 12 }),
      bash(
        `node -e "import('./src/tides.ts').then(async (t) => { const { findStation } = await import('./src/stations.ts'); console.log(t.eventsOfDay(findStation('brest'), 'foo')) })"`,
        'Try a date that is none',
        '[]',
        { ms: 160 },
      ),
    );
  },
  report:
    '1. `src/server.ts:28` `date` is not checked. `date=foo` answers 200 with `[]`, and the text becomes a cache key' +
    ' (`src/tides.ts:25`): 500 different values push every real day out of the cache.\n' +
    '2. `src/server.ts:38` `x-api-key` has no limit of length; each becomes a key of the limiter (capped at 10,000 keys, so' +
    ' at most about 80 MB with 8 KB headers).\n' +
    '3. `src/server.ts:15` path: only looked up, harmless. `new URL()` can throw on a malformed request line: unhandled,' +
    ' ends the process.',
});

const callersTask = {
  type: 'Explore',
  model: HAIKU,
  description: 'Callers of heightAt',
  prompt: 'In /home/ada/work/tidepool find all callers of heightAt, scan and eventsOfDay. Report file and line only.',
  work: (a: Writer) => {
    reply(
      a,
      bash(
        "grep -rnE '(heightAt|scan|eventsOfDay)\\(' src scripts | grep -v 'function '",
        'Find callers',
        `src/server.ts:22:      return { status: 200, body: { height: heightAt(station, now) } };
src/server.ts:29:      return { status: 200, body: eventsOfDay(station, day) };
src/tides.ts:25:  return cached(\`\${station.id}/\${day}\`, () => scan(station, Date.parse(\`\${day}T00:00:00Z\`)));
src/tides.ts:31:  return days.flatMap((day) => eventsOfDay(station, day)).find((event) => event.time > now);
src/tides.ts:36:  let before = heightAt(station, start - STEP);
src/tides.ts:37:  let here = heightAt(station, start);
src/tides.ts:39:    const after = heightAt(station, time + STEP);`,
        { ms: 52 },
      ),
    );
  },
  report:
    '- heightAt: src/server.ts:22, src/tides.ts:36, 37, 39\n- scan: src/tides.ts:25\n' +
    '- eventsOfDay: src/server.ts:29, src/tides.ts:31',
};

const costTask = (ws: Workspace) => ({
  type: 'general-purpose',
  model: SONNET,
  description: 'Cost of a prediction',
  prompt:
    'Measure what a prediction costs in /home/ada/work/tidepool: one scan of a day, /next cold and warm, at 40 requests a' +
    ' second over 20 stations. Say whether anything needs to be done before opening the API. Do not change files.',
  work: (a: Writer) => {
    reply(
      a,
      think('Who calls the expensive part? Let an agent list the callers while I read the code.'),
      'I read the prediction and let an agent list its callers meanwhile.',
      read(ws, 'src/tides.ts'),
      agent(callersTask),
    );
    reply(
      a,
      bash(
        "node --input-type=module -e \"import { eventsOfDay } from './src/tides.ts'; import { findStation } from './src/stations.ts'; const s = findStation('brest'); const t = performance.now(); for (let i = 0; i < 400; i++) eventsOfDay(s, new Date(i * 864e5).toISOString().slice(0, 10)); console.log(((performance.now() - t) / 400).toFixed(4), 'ms a day')\"",
        'Time 400 scans of a day',
        '0.0312 ms a day',
        { ms: 240 },
      ),
    );
  },
  report:
    'One scan of a day costs **0.03 ms** (242 heights, 3 constituents). `/next` needs two days: 0.06 ms cold, nothing warm.' +
    ' At 40 requests a second over 20 stations at most 40 scans happen **a day**; the rest comes from the cache.\n\n' +
    'Nothing to do before opening the API. If stations get 37 constituents (the usual full set) a scan costs about 0.4 ms,' +
    ' still fine. Only a client that forces cache misses could matter.',
});

function look(w: Writer, ws: Workspace): void {
  prompt(
    w,
    'Before we open the API: have one agent audit what requests can do to us and another one measure what predictions' +
      ' cost. Then give me one list, sorted by risk.',
    5,
  );
  reply(
    w,
    think('Two independent, read-only questions. Start both at once and merge.'),
    'Two agents, at the same time.',
    agent(inputTask(ws)),
    agent(costTask(ws)),
  );
  reply(
    w,
    think(
      'Merge. The throw in new URL ends the process: one request takes the service down. That is worse than the cache. The' +
        ' input agent listed it last and in passing; put it first. The cost report says cache misses are the only concern,' +
        ' which is exactly finding 1 of the other.',
    ),
    'One list, sorted by risk:\n\n' +
      '| # | risk | where | what |\n|---|---|---|---|\n' +
      '| 1 | **high** | `server.ts:37` | `new URL()` throws on a malformed request line: one request ends the process |\n' +
      '| 2 | **medium** | `server.ts:28` | `date` is not checked: wrong answers with status 200, and 500 odd values empty the cache |\n' +
      '| 3 | low | `server.ts:38` | no limit for the length of `x-api-key`: up to 80 MB in the limiter |\n' +
      '| – | none | `tides.ts` | predictions cost 0.03 ms a day and station; only forced cache misses (2) could matter |\n\n' +
      'The two reports meet in number 2: predictions are cheap *because* of the cache, and `date` can empty it.',
  );
}

const DAY_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDay, parseTarget } from '../src/time.ts';

test('a day is a real date', () => {
  assert.equal(isDay('2026-02-28'), true);
  for (const odd of ['', 'foo', '2026-02-30', '2026-2-3', '2026-11-09T00:00']) assert.equal(isDay(odd), false);
});

test('a malformed target is no url', () => {
  assert.equal(parseTarget('/stations/brest')?.pathname, '/stations/brest');
  assert.equal(parseTarget('http://['), undefined);
});
`;

function fixFirst(w: Writer, ws: Workspace): void {
  w.permissionMode = 'acceptEdits';
  prompt(w, 'Fix 1 and 2. And let an agent check in the background whether the README still tells the truth.', 160);
  const readme = backgroundAgent({
    type: 'Explore',
    model: HAIKU,
    description: 'Check README',
    prompt:
      'Compare /home/ada/work/tidepool/README.md with src/server.ts. List what is missing or wrong. Change nothing.',
    work: (a) => {
      reply(
        a,
        read(ws, 'README.md'),
        bash('grep -nE "case \'|status|x-api-key" src/server.ts', 'List routes and answers', ROUTES, { ms: 44 }),
      );
    },
    report:
      '- Missing: status 429 with `Retry-After`, the header `x-api-key`.\n- Missing: `GET /stations/:id` (the station itself).\n' +
      '- Right: the four routes that are listed.',
  });
  reply(w, 'The README check runs in the background; the fixes go here.', readme, read(ws, 'src/time.ts'));
  reply(
    w,
    edit(
      ws,
      'src/time.ts',
      'export function localTime',
      `/** Whether a text is a real date as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const time = Date.parse(\`\${text}T00:00:00Z\`);
  return !Number.isNaN(time) && dayKey(time) === text;
}

/** The target of a request; undefined when it is malformed. */
export function parseTarget(target: string): URL | undefined {
  return URL.canParse(target, 'http://localhost') ? new URL(target, 'http://localhost') : undefined;
}

export function localTime`,
    ),
    edit(
      ws,
      'src/server.ts',
      "import { dayKey, localTime } from './time.ts';",
      "import { dayKey, isDay, localTime, parseTarget } from './time.ts';",
    ),
    edit(
      ws,
      'src/server.ts',
      "const day = url.searchParams.get('date') ?? dayKey(now);",
      `const day = url.searchParams.get('date') ?? dayKey(now);
      if (!isDay(day)) return { status: 400, body: { error: 'date must be YYYY-MM-DD' } };`,
    ),
    edit(
      ws,
      'src/server.ts',
      "  const url = new URL(request.url ?? '/', 'http://localhost');\n",
      `  const url = parseTarget(request.url ?? '/');
  if (!url) {
    response.writeHead(400).end();
    return;
  }
`,
    ),
    write(ws, 'test/time.test.ts', DAY_TEST),
  );
  reply(
    w,
    bash(
      'npm test 2>&1 | tail -12',
      'Run the tests',
      `✔ a day has three or four events, high and low in turn (2.4ms)
✔ at the end of a UTC day the next event is tomorrow (0.4ms)
✔ the next event is the first one after now (0.2ms)
✔ a day is a real date (0.9ms)
✔ a malformed target is no url (0.3ms)
ℹ tests 9
ℹ pass 9
ℹ fail 0`,
      { ms: 1_260 },
    ),
  );
  reply(
    w,
    'Both fixed, nine tests pass.\n\n- A malformed request line answers **400** instead of ending the process.\n' +
      '- `date` must be a real day, otherwise **400**; nothing odd reaches the cache any more.\n\nThe README check is still' +
      ' running; I will tell you what it finds.',
  );
  readme.hearFrom(w);
  reply(
    w,
    'The README check is back. Nothing in it is wrong, three things are missing: the header `x-api-key`, status 429 with' +
      ' `Retry-After`, and the route `GET /stations/:id`. Say the word and I add them.',
  );
}

function fileRest(w: Writer): void {
  prompt(w, 'Put that and number 3 into the tracker, I will do them next week.', 210);
  reply(
    w,
    mcp(
      'tracker',
      'create_issue',
      { project: 'tidepool', title: 'README: x-api-key, 429 and GET /stations/:id are missing', labels: ['docs'] },
      '{"id":"TIDE-61","url":"https://tracker.example.com/TIDE-61","state":"open"}',
      820,
    ),
    mcp(
      'tracker',
      'create_issue',
      { project: 'tidepool', title: 'Limit the length of x-api-key', labels: ['security'], priority: 'low' },
      '{"id":"TIDE-62","url":"https://tracker.example.com/TIDE-62","state":"open"}',
      760,
    ),
  );
  reply(
    w,
    'Filed: [TIDE-61](https://tracker.example.com/TIDE-61) for the README and' +
      ' [TIDE-62](https://tracker.example.com/TIDE-62) for the length of `x-api-key`.',
  );
}
