import { expect, test } from 'vitest';
import { CLOCK } from '../../../src/agent/model/clock.ts';
import { fails, hold, neverAnswers, says, text, thinking, toolUse } from '../../support/scripted-model.ts';
import { blocksIn, hear, modelOf, requestOf, serving } from './asking.ts';

const serve = serving();

/** Aborts when the first words of that block have come; the server is held there. */
async function heldInside(blocks: Parameters<typeof says>[0], inside: number) {
  const server = await serve([says(blocks, { holdAt: { at: { inside }, hold: hold() } })]);
  const controller = new AbortController();
  const told = await hear(modelOf(server).ask(requestOf({ signal: controller.signal })), (event) => {
    if (event.kind === 'delta' && event.index === inside) controller.abort();
  });
  return { ...told, server, wasCut: await server.requests[0]?.ended };
}

test('an abort while it speaks keeps what was said, and closes the connection', async () => {
  const { server, outcome, wasCut } = await heldInside('Hello world!', 0);
  expect(outcome).toEqual({ kind: 'aborted', partial: text('Hell') });
  expect(wasCut).toBe(true);
  await expect.poll(() => server.connections()).toBe(0);
});

test('blocks before the partial one were told whole', async () => {
  const { events, outcome } = await heldInside([thinking('hm'), text('first'), text('second one')], 2);
  expect(blocksIn(events)).toEqual([thinking('hm'), text('first')]);
  expect(outcome).toEqual({ kind: 'aborted', partial: text('seco') });
});

test('half a thought, half a call and blank text are not kept', async () => {
  expect((await heldInside([thinking('so many thoughts')], 0)).outcome).toEqual({ kind: 'aborted' });
  expect((await heldInside([toolUse('Bash', { command: 'rm -rf build' })], 0)).outcome).toEqual({ kind: 'aborted' });
  expect((await heldInside('      and then', 0)).outcome).toEqual({ kind: 'aborted' });
});

test('an abort before the answer begins', async () => {
  const server = await serve([neverAnswers()]);
  const controller = new AbortController();
  const answer = hear(modelOf(server).ask(requestOf({ signal: controller.signal })));
  const asked = await server.request(0);
  controller.abort();
  expect(await answer).toEqual({ events: [], outcome: { kind: 'aborted' } });
  expect(await asked.ended).toBe(true);
});

test('an abort while it waits to ask again', async () => {
  const server = await serve([fails(529, { retryAfter: 3600 }), says('never')]);
  const controller = new AbortController();
  const answer = modelOf(server, { clock: CLOCK }).ask(requestOf({ signal: controller.signal }));
  const { outcome } = await hear(answer, ({ kind }) => kind === 'retry' && controller.abort());
  expect(outcome).toEqual({ kind: 'aborted' });
  expect(server.requests).toHaveLength(1);
});

test('a signal that has fired already: nothing is asked', async () => {
  const server = await serve([says('never')]);
  const { outcome } = await hear(modelOf(server).ask(requestOf({ signal: AbortSignal.abort() })));
  expect(outcome).toEqual({ kind: 'aborted' });
  expect(server.requests).toHaveLength(0);
});

test('whoever stops listening closes the connection', async () => {
  const gate = hold();
  const server = await serve([says('Hello', { holdAt: { at: { inside: 0 }, hold: gate } })]);
  for await (const event of modelOf(server).ask(requestOf())) if (event.kind === 'delta') break;
  expect(await server.requests[0]?.ended).toBe(true);
});

test('signals are let go of: an answer leaves no listener behind', async () => {
  const server = await serve(() => says('Hi'));
  const { signal } = new AbortController();
  const kept = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    kept.add(args[1]);
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    kept.delete(args[1]);
    removeEventListener.apply(signal, args);
  };
  const model = modelOf(server);
  for (let i = 0; i < 3; i += 1) await hear(model.ask(requestOf({ signal })));
  expect(kept.size).toBe(0);
});
