/** A bug hunt: parallel calls, a failing command that is worked around, edits, tests, a message sent meanwhile, a PR. */
import { queue, rename } from './moves.ts';
import { TIDEPOOL } from './project-tidepool.ts';
import { close, writeState } from './surroundings.ts';
import { prompt, reply, think } from './talk.ts';
import { bash } from './tools.ts';
import { edit, read, type Workspace } from './workspace.ts';
import { appendBare, createSession, type DemoRoot, iso, type Writer } from './writer.ts';

const PR_URL = 'https://git.example.com/coast/tidepool/pull/128';

export function staleTide(root: DemoRoot, ws: Workspace): Writer {
  const w = createSession(root, {
    name: 'stale tide',
    version: '2.1.325',
    cwd: TIDEPOOL,
    model: 'claude-opus-4-5-20251101',
    start: '2026-11-10T08:31:40.000Z',
    gitBranch: 'main',
    requests: true,
  });
  findCause(w, ws);
  fix(w, ws);
  rename(w, 'Stale tide after midnight', 31);
  openPullRequest(w);
  close(w);
  return w;
}

const LOG = `c41d9e2 Limit requests per API key
8b0f7aa Heights above chart datum
5ce2210 Cache the events of a day
f3a9b04 Answer /next from the events of the day
1d7702c First stations`;

function findCause(w: Writer, ws: Workspace): void {
  prompt(
    w,
    'Users say that /stations/:id/next sometimes gives a tide that is already over, mostly around midnight. Brest last' +
      ' night at 00:40 local time answered with the high water of 22:00. Can you find out why? Change nothing yet.',
    6,
  );
  reply(
    w,
    think(
      'Around midnight and already over: either a cached answer that outlives its day, or a day boundary in the wrong' +
        ' time zone. I need the handler, the prediction, the cache and the time functions. They are small, read them all at' +
        ' once, with the history of these files.',
    ),
    "Two suspects: a cache that outlives its day, or a day boundary in the wrong zone. I'll read all of it at once.",
    read(ws, 'src/tides.ts'),
    read(ws, 'src/cache.ts'),
    read(ws, 'src/time.ts'),
    bash('git log --oneline -5 -- src', 'Recent changes in src', LOG, { ms: 64 }),
  );
  reply(
    w,
    think(
      'The cache is keyed by station and UTC day and holds the whole list, so it cannot be stale. nextEvent: finds the' +
        ' first event after now among the events of the UTC day, else events.at(-1): the last one of the day, which is in' +
        ' the past whenever no event is left. 00:40 in Paris is 23:40 UTC; the last event on the 9th is 21:00 UTC. So not' +
        ' midnight local but the end of the UTC day. Prove it.',
    ),
    'The cache looks innocent: it keeps whole days under a UTC key. `nextEvent` does not: when no event is left in the' +
      ' UTC day it falls back to `events.at(-1)`, which is over. Let me prove that with the reported instant.',
    bash(
      'npx tsx scripts/next.ts brest 2026-11-09T23:40:00Z',
      'Ask for the next tide at the reported time',
      'sh: 1: tsx: not found',
      { exit: 127, ms: 900 },
    ),
  );
  reply(
    w,
    'No `tsx` in this project; Node runs the file by itself.',
    bash(
      'for t in 20:30 21:40 23:40; do node scripts/next.ts brest 2026-11-09T$t:00Z; done; node scripts/next.ts brest 2026-11-10T00:10:00Z',
      'Ask for the next tide around the end of the UTC day',
      `now  2026-11-09T20:30:00.000Z 21:30
next 2026-11-09T21:00:00.000Z high 5.68
now  2026-11-09T21:40:00.000Z 22:40
next 2026-11-09T21:00:00.000Z high 5.68
now  2026-11-09T23:40:00.000Z 00:40
next 2026-11-09T21:00:00.000Z high 5.68
now  2026-11-10T00:10:00.000Z 01:10
next 2026-11-10T03:18:00.000Z low 2.66`,
      { ms: 730 },
    ),
  );
  reply(
    w,
    'Found and reproduced.\n\n' +
      '**Cause.** `src/tides.ts`, `nextEvent`:\n\n' +
      '```ts\nreturn events.find((event) => event.time > now) ?? events.at(-1);\n```\n\n' +
      'It looks only into the current **UTC** day. After the last event of that day nothing is found, and the fallback' +
      ' gives that last event once more.\n\n' +
      '| asked at (UTC) | in Brest | answer | |\n|---|---|---|---|\n' +
      '| 20:30 | 21:30 | 21:00 high | right |\n| 21:40 | 22:40 | 21:00 high | 40 minutes old |\n' +
      '| 23:40 | 00:40 | 21:00 high | 2 h 40 min old |\n| 00:10 | 01:10 | 03:18 low | right again |\n\n' +
      'So it is not midnight as such: it is the time from the last event until UTC midnight, which is 01:00 in Brest. A' +
      ' station in Boston would show it in the early evening.\n\n' +
      '**Fix I suggest:** look into the next day when this one has nothing left. No change to the cache or the API.',
  );
}

function fix(w: Writer, ws: Workspace): void {
  w.permissionMode = 'acceptEdits';
  prompt(w, 'Good find. Fix it like that, with a test that fails before.', 180);
  reply(
    w,
    'First the test.',
    edit(
      ws,
      'test/tides.test.ts',
      "test('the next event is the first one after now', () => {",
      `test('at the end of a UTC day the next event is tomorrow', () => {
  const now = Date.parse('2026-11-09T23:40:00Z');
  assert.equal(nextEvent(brest, now)?.time, Date.parse('2026-11-10T03:18:00Z'));
});

test('the next event is the first one after now', () => {`,
    ),
    bash(
      'node --test test/tides.test.ts',
      'See the new test fail',
      `✔ a day has three or four events, high and low in turn (2.6ms)
✖ at the end of a UTC day the next event is tomorrow (1.3ms)
✔ the next event is the first one after now (0.2ms)
ℹ tests 3
ℹ pass 2
ℹ fail 1

✖ failing tests:

test at test/tides.test.ts:15:1
✖ at the end of a UTC day the next event is tomorrow (1.3ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  1794258000000 !== 1794280680000`,
      { exit: 1, ms: 480 },
    ),
  );
  reply(
    w,
    think(
      'It fails for the right reason. Now nextEvent: today and tomorrow, first after now. I wrote the line from memory.',
    ),
    'It fails for the right reason. Now the fix.',
    edit(
      ws,
      'src/tides.ts',
      'return events.find((event) => event.time > now) || events.at(-1);',
      'return [...events, ...tomorrow].find((event) => event.time > now);',
      { missing: true },
    ),
  );
  reply(
    w,
    'The line has `??`, not `||`. Once more, with the whole function.',
    edit(
      ws,
      'src/tides.ts',
      `  const events = eventsOfDay(station, dayKey(now));
  return events.find((event) => event.time > now) ?? events.at(-1);`,
      `  const days = [dayKey(now), dayKey(now + DAY)];
  return days.flatMap((day) => eventsOfDay(station, day)).find((event) => event.time > now);`,
    ),
    bash(
      'npm test',
      'Run all tests',
      `
> tidepool@0.6.2 test
> node --test test/*.test.ts

✔ a full bucket takes its size at once, then asks to wait (1.0ms)
✔ tokens come back with time (0.2ms)
✔ random keys do not fill the memory or lock out a busy one (20.8ms)
✔ keys do not share a bucket (0.1ms)
✔ a day has three or four events, high and low in turn (2.4ms)
✔ at the end of a UTC day the next event is tomorrow (0.4ms)
✔ the next event is the first one after now (0.2ms)
ℹ tests 7
ℹ pass 7
ℹ fail 0`,
      { ms: 1_180 },
    ),
  );
  queue(w, 'and a line in the changelog please');
  reply(
    w,
    'All seven pass. The changelog line, as you just asked:',
    edit(
      ws,
      'CHANGELOG.md',
      '# Changelog\n',
      '# Changelog\n\n## Unreleased\n- `/stations/:id/next` no longer answers with a past event at the end of a UTC day.\n',
    ),
  );
  reply(
    w,
    'Fixed: `nextEvent` looks at today and tomorrow. The second day comes from the same cache, so it costs one scan per' +
      ' station and day at most. The new test fails without the change and passes with it; the changelog has its line.',
  );
  writeState(w);
}

function openPullRequest(w: Writer): void {
  prompt(w, 'Commit that on a branch and open a PR.', 18);
  w.gitBranch = 'fix/next-event-at-day-end';
  reply(
    w,
    bash(
      'git switch -c fix/next-event-at-day-end && git commit -aqm "Answer /next with tomorrow\'s event at the end of a UTC day" && git push -qu origin HEAD && git log --oneline -1 --stat',
      'Commit on a branch and push',
      `Switched to a new branch 'fix/next-event-at-day-end'
97b1c3f Answer /next with tomorrow's event at the end of a UTC day
 CHANGELOG.md       | 3 +++
 src/tides.ts       | 4 ++--
 test/tides.test.ts | 5 +++++
 3 files changed, 10 insertions(+), 2 deletions(-)`,
      { ms: 2_300, asked: 4_600 },
    ),
  );
  const created = { number: 128, url: PR_URL, action: 'created' };
  reply(
    w,
    bash(
      'gh pr create --title "Answer /next with tomorrow\'s event at the end of a UTC day" --body "After the last event of a UTC day /next repeated it. Look into the next day instead."',
      'Open the pull request',
      PR_URL,
      { ms: 1_900, asked: 3_800, result: { gitOperation: { pr: created } } },
    ),
  );
  w.pr = { type: 'pr-link', sessionId: w.sessionId, prNumber: 128, prUrl: PR_URL, prRepository: 'coast/tidepool' };
  appendBare(w, { ...w.pr, timestamp: iso(w.now) });
  reply(w, `Opened [#128](${PR_URL}) from \`fix/next-event-at-day-end\`: three files, ten lines added, two removed.`);
}
