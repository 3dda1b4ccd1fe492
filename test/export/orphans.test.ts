/** Agents whose session has no transcript any more: sent once, under the call that leads to them where there is one (L3, L6). */
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/format/json.ts';
import { assistant, chain, result, timeOf, toJsonl, toolUse, user } from '../support/build.ts';
import { runHere } from '../support/inprocess.ts';
import { startReceiver } from '../support/receiver.ts';
import { machineWith } from '../support/traced.ts';

/** When the agents were at work; what the fork says is older. */
const LATER = 60;
const SINCE = timeOf(LATER - 10);
const PROJECT = '-work-app';

/** A call of the agent `called` in the background, whose file lies with the session that this was forked from. */
function forkLines(): JsonObject[] {
  const launched = { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'called' } };
  const call = toolUse('t1', 'Agent', { prompt: 'prompt of called', subagent_type: 'Explore' });
  const lines = [
    user('go'),
    assistant(call, { id: 'm1', stop: 'tool_use' }),
    result('t1', 'launched', launched),
    assistant('it runs', { id: 'm2' }),
  ];
  const forked = lines.map((line, place) => ({
    ...line,
    forkedFrom: { sessionId: 'gone', messageUuid: `gone-${place}` },
  }));
  return chain(forked, { sessionId: 'fork', isSidechain: false, cwd: '/work/app' });
}

/** What an agent was told and said. */
function agentLines(agentId: string, ...answers: string[]): JsonObject[] {
  const said = answers.map((answer, place) => assistant(answer, { id: `${agentId}-${place}` }));
  const lines = [user(`prompt of ${agentId}`), ...said].map((line, place) => ({
    timestamp: timeOf(LATER + place),
    uuid: `${agentId}-u${place}`,
    ...line,
  }));
  return chain(lines, { sessionId: 'gone', isSidechain: true, agentId, cwd: '/work/app' });
}

/** At a time that is always the same. */
function writeLines(file: string, lines: readonly JsonObject[]): void {
  writeFileSync(file, toJsonl(lines));
  utimesSync(file, new Date(timeOf(LATER)), new Date(timeOf(LATER)));
}

/** A fork of the session `gone`, which is deleted, and those of its agents that are named. */
async function started(...agents: string[]) {
  const server = await startReceiver();
  const { env, root, fileOf } = machineWith({}, server.url);
  const agentFile = (agentId: string) => join(root, 'projects', PROJECT, 'gone', 'subagents', `agent-${agentId}.jsonl`);
  const write = (agentId: string, ...answers: string[]) => {
    mkdirSync(dirname(agentFile(agentId)), { recursive: true });
    writeLines(agentFile(agentId), agentLines(agentId, ...answers));
  };
  writeFileSync(fileOf('fork'), toJsonl(forkLines()));
  for (const agentId of agents) write(agentId, 'found');
  return {
    server,
    agentFile,
    write,
    run: async (...argv: string[]) => (await runHere(['export', 'langfuse', ...argv, '--json'], env)).json(),
    /** The trace that each agent's span lies in. */
    agents: () =>
      [...server.rows.values()].flatMap(({ type, traceName, input }) => {
        const [, told] = /prompt of (\w+)/.exec(input ?? '') ?? [];
        return type === 'agent' && told !== undefined ? `${traceName}: ${told}` : [];
      }),
  };
}

const NOTHING = { spans: 0, sent: 0, open: 0 };

describe('L3: an agent of a deleted session that a call of a fork leads to', () => {
  test.each([
    ['--all', ['--all']],
    ['--since', ['--since', SINCE]],
    ['project:', [`project:${PROJECT}`]],
    ['project: with --since', [`project:${PROJECT}`, '--since', SINCE]],
  ])('is sent once under its turn, and no second time as an agent of nobody: %s', async (_, argv) => {
    const { server, run, agents } = await started('called');
    expect(await run('--all')).toMatchObject({ turns: 1, open: 0 });
    expect(agents()).toEqual(['Turn 1: called']);
    const arrived = server.arrived();
    expect(await run(...argv)).toMatchObject(NOTHING);
    expect(await run(...argv)).toMatchObject(NOTHING);
    expect(server.arrived()).toBe(arrived);
  });

  test('is not taken for one of nobody by the first run, when the fork is older than --since', async () => {
    const { server, run, agents } = await started('called');
    expect(await run('--since', SINCE, '--dry-run')).toMatchObject({ traces: [], turns: 0, spans: 0, open: 0 });
    expect(await run('--since', SINCE)).toMatchObject(NOTHING);
    expect(server.requests).toEqual([]);
    expect(await run('--all', '--dry-run')).toMatchObject({ turns: 1 });
    expect(await run('--all')).toMatchObject({ turns: 1 });
    expect(agents()).toEqual(['Turn 1: called']);
  });

  test('is sent again under its turn when it goes on', async () => {
    const { run, write, agents } = await started('called', 'lost');
    await run('--all');
    write('called', 'found', 'and more');
    expect(await run('--all')).toMatchObject({ turns: 1 });
    expect(await run('--all')).toMatchObject(NOTHING);
    expect(agents().sort()).toEqual(['Agent lost: lost', 'Turn 1: called']);
  });
});

describe('L6: an agent of a deleted session that no call leads to', () => {
  test('is sent exactly once, however often it is asked for', async () => {
    const { server, run, agents } = await started('called', 'lost');
    expect(await run('--all')).toMatchObject({ turns: 2, open: 0 });
    expect(agents().sort()).toEqual(['Agent lost: lost', 'Turn 1: called']);
    const arrived = server.arrived();
    expect(await run('--all')).toMatchObject(NOTHING);
    expect(await run('--since', SINCE)).toMatchObject(NOTHING);
    expect(server.arrived()).toBe(arrived);
    expect(await run('--since', SINCE, '--dry-run')).toMatchObject({ turns: 1, traces: [{ turn: 0 }] });
    expect(await run('--all', '--again')).toMatchObject({ turns: 2 });
    expect(server.rows.size).toBe(arrived);
  });

  test('is not read again while its file is the same', async () => {
    const { run, agentFile, write } = await started('lost');
    expect(await run('--all')).toMatchObject({ turns: 2 });
    // Another id, in a file that looks the same from outside: only who reads it sees them.
    const { size } = statSync(agentFile('lost'));
    const [prompt, answer] = agentLines('lost', 'found');
    writeLines(agentFile('lost'), [
      { ...prompt, uuid: 'tsol-u0' },
      { ...answer, parentUuid: 'tsol-u0' },
    ]);
    expect(statSync(agentFile('lost')).size).toBe(size);
    expect(await run('--all')).toMatchObject(NOTHING);
    write('lost', 'found', 'and more');
    expect(await run('--all')).toMatchObject({ turns: 1 });
  });

  test('of which something is not sent is looked at again; what a fork calls still is not', async () => {
    const { server, run, agents } = await started('called', 'lost');
    const isLost = (spans: readonly Json[]) => JSON.stringify(spans).includes('prompt of lost');
    server.fail(({ spans }) => (isLost(spans) ? { status: 400, body: 'no' } : undefined));
    expect(await run('--all')).toMatchObject({ turns: 1, refused: [{ spans: 2 }] });
    expect(agents()).toEqual(['Turn 1: called']);
    server.fail(() => undefined);
    expect(await run('--all')).toMatchObject({ turns: 1, refused: [] });
    expect(agents()).toEqual(['Turn 1: called', 'Agent lost: lost']);
    expect(await run('--all')).toMatchObject(NOTHING);
  });
});
