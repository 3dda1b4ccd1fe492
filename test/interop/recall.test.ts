/** `skein mcp install` in the published client: an agent finds and reads what an earlier session of its own said, with secrets masked. */
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asArray, asString, isObject, type JsonObject } from '../../src/format/json.ts';
import { calls, type Reply, type ScriptedRequest, says } from '../support/scripted-model.ts';
import { skein } from '../support/skein.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge } from './judge.ts';

const KEY = `sk-ant-api03-${'aB3dE5fG7hJ9kL2mN4pQ'.repeat(4)}-AA`;

describe.each([NEWEST, OLD])('client %s', (version) => {
  test('an agent recalls by search_history and read_chat what was said before', async () => {
    let script: readonly ((said: string) => Reply)[] = [() => says('Noted: the tides lie in harbour.csv.')];
    const answer = (request: ScriptedRequest): Reply => {
      const [next = () => says('END'), ...rest] = script;
      script = rest;
      return next(lastResult(request));
    };
    const judge = await createJudge(version, { script: answer, env: { ENABLE_TOOL_SEARCH: 'false' } });
    onTestFinished(() => judge.close());
    await judge.start(['-p', `Where are the zanzibar tides? The key is ${KEY}`]);

    const env = { CLAUDE_CONFIG_DIR: judge.config };
    const installed = skein(['mcp', 'install'], { home: dirname(judge.config), env });
    expect([installed.code, installed.err]).toEqual([0, '']);

    script = [
      () => calls('mcp__skein__search_history', { query: 'zanzibar tides in:prompt' }),
      (found) => calls('mcp__skein__read_chat', { chat: /\[chat (\w+)/.exec(found)?.[1] ?? 'none' }),
      () => calls('mcp__skein__list_chats', {}),
      () => calls('mcp__skein__usage', {}),
    ];
    const { requests, status } = await judge.start(['-p', 'Look it up', '--permission-mode', 'bypassPermissions']);
    expect([status, requests.map(({ refused }) => refused)]).toEqual([0, Array(5).fill(undefined)]);
    const offered = (asArray(requests[0]?.body.tools) ?? []).filter(isObject).map(({ name }) => asString(name) ?? '');
    expect(offered.filter((name) => name.startsWith('mcp__skein__')).sort()).toEqual([
      'mcp__skein__list_chats',
      'mcp__skein__read_chat',
      'mcp__skein__search_history',
      'mcp__skein__usage',
    ]);
    const [, found = '', read = '', listed = '', used = ''] = requests.map(lastResult);
    expect(found).toMatch(/zanzibar tides.*\[anthropic-key:\w{4}\]/);
    expect(read).toContain('the tides lie in harbour.csv');
    expect(listed).toContain('Where are the zanzibar tides?');
    expect(used).toMatch(/MESSAGES.*COST\n20\d\d-/);
    expect(JSON.stringify(requests.map(({ messages }) => messages))).not.toContain(KEY);
  });
});

/** The text of the last tool result that was sent. */
function lastResult({ messages }: Pick<ScriptedRequest, 'messages'>): string {
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  return textOf(results.at(-1)?.content);
}

function textOf(content: JsonObject[string]): string {
  if (typeof content === 'string') return content;
  const blocks = (asArray(content) ?? []).filter(isObject);
  return blocks.map(({ text }) => asString(text) ?? '').join('\n');
}
