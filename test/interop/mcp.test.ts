/** One .mcp.json, two clients: the model is offered the same tools and told the same results; sessions with such calls go from one to the other. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { calls, type Reply, says } from '../support/scripted-model.ts';
import { expectResumed, oneSession, wrongIn } from './chat.ts';
import { NEWEST } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

const ODD = fileURLToPath(new URL('../support/mcp-odd.ts', import.meta.url));
const SERVER = { command: process.execPath, args: [ODD, 'fine'], env: { PLAIN: 'x' } };

const SCRIPT: readonly Reply[] = [
  ...['mixed', 'struct_ured_tool', 'pictured', 'fail', 'refuse', 'empty', 'slow'].map((tool) =>
    calls(`mcp__my_odd_srv__${tool}`, {}),
  ),
  calls('mcp__my_odd_srv__echo', { text: 'hi' }),
  calls('ListMcpResourcesTool', {}),
  calls('ReadMcpResourceTool', { server: 'my odd.srv', uri: 'mem://one' }),
  calls('ReadMcpResourceTool', { server: 'nobody', uri: 'mem://one' }),
  says('END'),
];

describe(NEWEST, () => {
  let judge: Judge;
  let next = 0;
  const script = (): Reply => SCRIPT[next++] ?? says('END');
  beforeAll(async () => {
    judge = await createJudge(NEWEST, { script, env: { ENABLE_TOOL_SEARCH: 'false' } });
    const mcp = { mcpServers: { 'my odd.srv': SERVER } };
    writeFileSync(join(judge.workspace, '.mcp.json'), JSON.stringify(mcp));
    writeFileSync(join(judge.config, 'settings.json'), JSON.stringify({ enableAllProjectMcpServers: true }));
  });
  afterAll(() => judge.close());

  test('the same tools are offered, the same results are told, and theirs are read by us as ours by them', async () => {
    const theirs = await judge.start(['-p', 'Go', '--permission-mode', 'bypassPermissions']);
    next = 0;
    const { id, chat, say } = await oneSession(judge, script);
    const { code, err } = await say('Go');
    expect([code, err.replace(/^skein: The tool mcp__my_odd_srv__choice .*\n/m, '')]).toEqual([0, '']);
    const own = chat.model.requests;
    const offered = toolsIn(theirs.requests[0]?.body).filter(({ name }) => name !== 'mcp__my_odd_srv__choice');
    expect(toolsIn(own[0]?.body)).toEqual(offered);
    expect(offered.length).toBeGreaterThan(15);
    expect(resultsIn(own.at(-1)?.messages)).toHaveLength(SCRIPT.length - 1);
    expect(resultsIn(own.at(-1)?.messages)).toEqual(resultsIn(theirs.requests.at(-1)?.messages));
    expect(await wrongIn(judge, id)).toEqual([]);
    await expectResumed(judge, NEWEST, id);
    const [, session = ''] = /"session_id":"([^"]+)"/.exec(theirs.stdout) ?? [];
    const { result } = await (await oneSession(judge, [says('Gone on.')], session)).say('On');
    expect(result).toMatchObject({ is_error: false, result: 'Gone on.' });
    expect(await wrongIn(judge, session)).toEqual([]);
  });
});

/** Name, description and schema; of those for resources the words are each client's own. */
function toolsIn(body: JsonObject | undefined): JsonObject[] {
  const tools = (asArray(body?.tools) ?? []).filter(isObject);
  return tools.filter(({ name }) => asString(name)?.startsWith('mcp__')).map(({ cache_control, ...tool }) => tool);
}

/** In which only the names of files differ. */
function resultsIn(messages: readonly { readonly content: readonly JsonObject[] }[] | undefined): Json[] {
  const results = (messages ?? []).flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  return results.map(({ content, is_error }) => {
    const text = JSON.stringify({ content, failed: is_error === true });
    return asObject(JSON.parse(text.replaceAll(/\/[^\s"\\]*\/tool-results\/[^\s"\\]*\.(\w+)/g, 'FILE.$1'))) ?? {};
  });
}
