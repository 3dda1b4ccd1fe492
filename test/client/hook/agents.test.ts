/** Agents in the background that go on when nobody tells the hook of them. */
import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, QUIET, rowsOf, runHook, startServer } from './world.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-4000-8000-000000000002';

describe('agents that go on when their turn is over', () => {
  const MINUTE = 60_000;
  const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE);

  /** A turn half an hour ago that started an agent, and what that did until it fell quiet. */
  function writeQuiet(file: string, agent: string) {
    const time = (seconds: number) => new Date(ago(30).getTime() + seconds * 1000).toISOString();
    const common = { sessionId: A, cwd: '/work/app', version: '2.1.325', userType: 'external' };
    const message = (id: string, content: unknown, stop_reason: string) => ({
      message: {
        id,
        role: 'assistant',
        type: 'message',
        model: 'claude-sonnet-4-5',
        content,
        stop_reason,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    });
    const said = (role: string, content: unknown) => ({ message: { role, content } });
    const call = { type: 'tool_use', id: 'toolu_a', name: 'Agent', input: { prompt: 'look', description: 'look' } };
    const launch = { type: 'tool_result', tool_use_id: 'toolu_a', content: 'launched' };
    const lines = [
      { type: 'user', ...said('user', 'go') },
      { type: 'assistant', ...message('msg_l1', [call], 'tool_use') },
      {
        type: 'user',
        ...said('user', [launch]),
        toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'a1' },
      },
      { type: 'assistant', ...message('msg_l2', [{ type: 'text', text: 'it runs' }], 'end_turn') },
    ].map((line, place) => ({
      ...common,
      isSidechain: false,
      ...line,
      uuid: `l${place}`,
      parentUuid: place === 0 ? null : `l${place - 1}`,
      timestamp: time(place),
    }));
    const slow = { type: 'tool_use', id: 'toolu_s', name: 'Bash', input: { command: 'sleep 1800' } };
    const own = [
      { type: 'user', ...said('user', 'look') },
      { type: 'assistant', ...message('msg_a1', [slow], 'tool_use') },
      { type: 'user', ...said('user', [{ type: 'tool_result', tool_use_id: 'toolu_s', content: 'slept' }]) },
      { type: 'assistant', ...message('msg_a2', [{ type: 'text', text: 'found' }], 'end_turn') },
    ].map((line, place) => ({
      ...common,
      isSidechain: true,
      agentId: 'a1',
      ...line,
      uuid: `a${place}`,
      parentUuid: place === 0 ? null : `a${place - 1}`,
      timestamp: time(place < 2 ? 3 + place : 900 + place),
    }));
    const text = (some: readonly unknown[]) => some.map((line) => `${JSON.stringify(line)}\n`).join('');
    mkdirSync(join(agent, '..'), { recursive: true });
    writeFileSync(file, text(lines));
    writeFileSync(agent, text(own.slice(0, 2)));
    for (const path of [file, agent]) utimesSync(path, ago(30), ago(30));
    return () => {
      appendFileSync(agent, text(own.slice(2)));
      utimesSync(agent, ago(14), ago(14));
    };
  }

  test.each([
    ['the next hook of the session', A, 'Stop'],
    ['a hook of another session', B, 'SessionStart'],
  ])('what one writes after it was quiet for ten minutes is sent by %s, once', async (_, next, event) => {
    const [world, server] = [makeHome(), await startServer()];
    const args = ['--otlp', server.url, '--wait', '0'];
    const agent = join(world.project, A, 'subagents', 'agent-a1.jsonl');
    const goOn = writeQuiet(world.fileOf(A), agent);
    expect(await runHook(world, { session: A, args })).toEqual(QUIET);
    const names = () => server.spans.map(({ name }) => name).filter((name) => name.startsWith('chat ')).length;
    expect(names()).toBe(3);
    // As it was noted a quarter of an hour ago.
    const note = join(world.skein, 'hook', 'sessions', `${A}.json`);
    writeFileSync(note, readFileSync(note, 'utf8').replace(/"at":\d+/, `"at":${ago(15).getTime()}`));
    goOn();
    expect(await runHook(world, { session: next, event, args })).toEqual(QUIET);
    const rows = new Set(rowsOf(server.spans));
    // The turn, three calls and four messages, the agent.
    expect([names(), rows.size]).toEqual([7, 8]);
    const requests = server.requests.length;
    for (const session of [A, B]) await runHook(world, { session, event: 'SessionStart', args });
    expect(server.requests.length).toBe(requests);
  });
});
