/** T3: whatever happens on the way, in the end every row is as an export of the final files would make it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allSteps,
  createWriter,
  failAs,
  meetings,
  quickSteps,
  SESSIONS,
  type Step,
  send,
  take,
} from '../support/episodes.ts';
import { runHere } from '../support/inprocess.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { machineWith } from '../support/traced.ts';

/** No episode begins after this. */
const MOST_MS = 20_000;

const rowsOf = ({ last }: Receiver) => Object.fromEntries([...last].map(([key, span]) => [key, JSON.stringify(span)]));

/** Those that are not waited for go on beside what follows. */
async function play(all: readonly Step[], one: (step: Step) => Promise<void>): Promise<void> {
  const running: Promise<void>[] = [];
  for (const step of all) {
    const done = one(step);
    running.push(done);
    if (!('awaited' in step) || step.awaited) await done;
  }
  await Promise.all(running);
}

test.each([
  ['hooks, new lines and faults of the server', quickSteps],
  ['these, exports and kills', allSteps],
])('%s in any order', async (_, steps) => {
  let episodes = 0;
  const until = Date.now() + MOST_MS;
  await fc.assert(
    fc.asyncProperty(steps, meetings, async (all, met) => {
      if (Date.now() > until) return;
      const server = await startReceiver();
      const machine = machineWith({}, server.url);
      const writer = createWriter(machine);
      failAs(server, met);
      await play(all, (step) => take(step, machine, writer));
      server.fail(() => undefined);
      // What waits goes first; whoever was killed left a lock that holds nothing.
      for (const id of SESSIONS) expect(await send(machine, id, 5000)).toMatchObject({ unsent: 0, queued: 0 });
      const clean = await startReceiver();
      const other = { ...machine.env, SKEIN_HOME: `${machine.home}/other`, LANGFUSE_BASE_URL: clean.url };
      expect((await runHere(['export', 'langfuse', '--all'], other)).code).toBe(0);
      expect(rowsOf(server)).toEqual(rowsOf(clean));
      const requests = server.requests.length;
      for (const id of SESSIONS) await send(machine, id, 5000);
      expect(server.requests.length).toBe(requests);
      episodes += 1;
    }),
    { numRuns: 400, endOnFailure: true },
  );
  console.log(`${episodes} episodes`);
  expect(episodes).toBeGreaterThan(0);
});
