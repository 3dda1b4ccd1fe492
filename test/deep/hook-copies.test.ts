/** H1: turns that a resume or a fork copied are sent from their originals, whichever of them the hook meets first (T3). */
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { feed, type HookHome, makeHome, QUIET, rowsOf, type SpanServer, startServer } from '../client/hook/world.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { beside } from '../support/traced.ts';

const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk' };

/** A recording with a session and its copy, and the hook and the export that send them to one server. */
function recorded(scenario: string, server: SpanServer) {
  const world = makeHome();
  cpSync(join(FIXTURES, 'recorded', scenario, 'projects'), join(world.config, 'projects'), { recursive: true });
  const fileOf = (id: string) => transcriptsBelow(world.config).find((file) => basename(file).startsWith(id)) ?? '';
  const env = { ...KEYS, LANGFUSE_BASE_URL: server.url };
  const hook = async (id: string) => {
    const transcript = fileOf(id);
    const input = { hook_event_name: 'Stop', session_id: basename(transcript, '.jsonl'), transcript_path: transcript };
    expect(await feed(world, JSON.stringify(input), ['--langfuse', '--archive', '--wait', '0'], env)).toEqual(QUIET);
    await expect.poll(() => isDone(world), { timeout: 30_000 }).toBe(true);
  };
  const machine = { root: world.config, home: world.home, env: { ...env, SKEIN_HOME: world.skein }, fileOf };
  return { world, hook, exportAll: () => beside(machine, ['export', 'langfuse', '--all']) };
}

/** A process of its own that was started for a copy is done, too. */
function isDone(world: HookHome): boolean {
  const log = world.log();
  const handed = log.filter(({ what }) => what.includes('turns of another session')).length;
  return log.filter(({ event, what }) => event === 'rest' && what === 'done').length >= handed;
}

function startsOf({ spans }: SpanServer): string[] {
  const starts = new Map<string, Set<string>>();
  for (const { trace, span, start } of spans) {
    const key = `${trace} ${span}`;
    starts.set(key, (starts.get(key) ?? new Set()).add(start));
  }
  return [...starts].flatMap(([key, some]) => (some.size > 1 ? key : []));
}

test.each([
  ['2.1.325/f-resume', '36e2879f', '082fccad'],
  ['1.0.111/j-hooks', 'd31ad2d8', '343dd004'],
  ['1.0.111/d-agent', '6e150d1f', '590d7ebc'],
])('%s: the copy, the original, an export, in any order, send every row once', async (scenario, original, copy) => {
  const all = await startServer();
  await recorded(scenario, all).exportAll();
  for (const order of [[copy, original], [original, copy], [copy]]) {
    const server = await startServer();
    const { world, hook, exportAll } = recorded(scenario, server);
    for (const id of order) await hook(id);
    expect(server.spans.length).toBeGreaterThan(0);
    await exportAll();
    expect(startsOf(server)).toEqual([]);
    expect(new Set(rowsOf(server.spans))).toEqual(new Set(rowsOf(all.spans)));
    expect(world.log().filter(({ level }) => level === 'error')).toEqual([]);
  }
});
