import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitLines } from '../../src/agent/mcp/stdio.ts';
import { asObject, asString, isObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { odd, serversOf } from '../agent/mcp/servers.ts';
import { isRunning } from '../agent/tools/shell-host.ts';
import { tempFolder } from '../support/files.ts';

describe('what a server offers', () => {
  test('its tools by the names the client gives them, their schemas as they are, in a stable order', async () => {
    const isLeftOut = (tool: string) => tool === 'mcp__b__big';
    const { tools, notices } = await serversOf({ 'my odd.srv': odd(), b: odd() }, {}, isLeftOut);
    const names = [...tools.keys()];
    expect(names.slice(0, 2)).toEqual(['ListMcpResourcesTool', 'ReadMcpResourceTool']);
    expect(names.slice(2)).toEqual([...names.slice(2)].sort());
    expect(names).toContain('mcp__my_odd_srv__struct_ured_tool');
    expect(tools.get('mcp__b__echo')?.definition()).toEqual({
      name: 'mcp__b__echo',
      description: 'Says it back',
      input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    });
    expect([names.includes('mcp__b__big'), names.includes('mcp__my_odd_srv__big')]).toEqual([false, true]);
    // That a server says it only reads lets calls run side by side, and allows none of them.
    const [echo, mixed] = [tools.get('mcp__b__echo'), tools.get('mcp__b__mixed')];
    expect([echo?.parallel({}), mixed?.parallel({})]).toEqual([true, false]);
    expect([echo?.acts, mixed?.acts]).toEqual(['fetches', 'runs']);
    expect(names).not.toContain('mcp__b__choice');
    expect(notices).toContainEqual(expect.stringMatching(/mcp__b__choice .*is left out: .*oneOf/));
  });

  test('state, prompts, instructions, roots', async () => {
    const log = join(tempFolder(), 'log');
    const { manager, folder } = await serversOf({ a: odd() }, { MCP_LOG: log });
    const [state] = manager.servers;
    expect(state).toMatchObject({ name: 'a', status: 'connected', serverInfo: { name: 'odd', version: '1' } });
    expect(state?.tools?.find(({ name }) => name === 'echo')).toMatchObject({ annotations: { readOnly: true } });
    expect(manager.instructions).toEqual([{ server: 'a', text: 'Echo with care.' }]);
    expect(manager.commands).toEqual([
      { name: 'mcp__a__review', description: 'Reviews', argumentHint: '<what> [how]' },
    ]);
    const { signal } = new AbortController();
    const asked = (args: string) => manager.promptBlocks({ name: 'mcp__a__review', args }, signal);
    expect(await asked('"foo bar" one two')).toEqual([
      { type: 'text', text: 'Review {"what":"foo bar","how":"one two"}' },
    ]);
    await expect(asked('')).rejects.toThrow('lacks what');
    expect(readFileSync(log, 'utf8')).toContain(`"roots":[{"uri":"file://${folder}"}]`);
  });

  test('tools that come later join', async () => {
    const { tools, call } = await serversOf({ a: odd() });
    await call('mcp__a__more');
    await expect.poll(() => tools.has('mcp__a__later'), { timeout: 3000 }).toBe(true);
  });
});

describe('what a call comes to', () => {
  test('each kind of answer, as the client tells and records it', async () => {
    const { call, folder } = await serversOf({ a: odd() });
    expect(await call('mcp__a__echo', { text: 'hi' })).toEqual({
      content: [{ type: 'text', text: 'you said hi' }],
      result: [{ type: 'text', text: 'you said hi' }],
      beside: { mcpMeta: { _meta: { trace: 'x' } } },
    });
    expect(await call('mcp__a__struct_ured_tool')).toEqual({
      content: '{"n":1}',
      result: '{"n":1}',
      beside: { mcpMeta: { structuredContent: { n: 1 } }, mcpCallNotReadOnly: 'no_hint' },
    });
    expect(await call('mcp__a__empty')).toMatchObject({
      content: '(mcp__a__empty completed with no output)',
      result: [],
    });
    expect(await call('mcp__a__fail')).toEqual({
      content: 'it broke\nbadly',
      result: 'Error: it broke\nbadly',
      isError: true,
    });
    expect(await call('mcp__a__refuse')).toMatchObject({ content: 'not today', isError: true });
    const { content } = await call('mcp__a__mixed');
    const kinds = blocks(content).map(
      ({ type, text }) => asString(text)?.replaceAll(/\/\S*\/tool-results\/\S+\./g, 'FILE.') ?? type,
    );
    expect(kinds).toEqual([
      'words',
      'image',
      '[Image: source: FILE.png]',
      '[Audio from a] Binary content (audio/wav, 3 bytes) saved to FILE.wav',
      '[Resource from a at mem://t] # hi',
      '[Resource from a at mem://b] Binary content (application/pdf, 3 bytes) saved to FILE.pdf',
      '[Resource from a at mem://p] ',
      'image',
      '[Image: source: FILE.png]',
      '[Resource link: link] mem://l (a link)',
    ]);
    expect(JSON.stringify(content)).toContain(join(folder, 'tool-results', 'mcp-a-blob-'));
    const pictured = blocks((await call('mcp__a__pictured')).content);
    expect([pictured[0]?.type, pictured[2]?.text]).toEqual(['image', '{"n":2}']);
  });

  test('one that is too long lies in a file', async () => {
    const { call } = await serversOf({ a: odd() });
    const { content } = await call('mcp__a__big');
    const [, path = ''] = /saved to: (\S+)/.exec(String(content)) ?? [];
    expect(content).toMatch(/^<persisted-output>\nOutput too large \(73\.2KB\)/);
    expect(readFileSync(path, 'utf8')).toHaveLength(75_000);
    const { call: wide } = await serversOf({ a: odd() }, { MAX_MCP_OUTPUT_TOKENS: '100000' });
    expect(blocks((await wide('mcp__a__big')).content)[0]?.text).toHaveLength(75_000);
  });

  test('progress is told, an interrupt is passed on', async () => {
    const log = join(tempFolder(), 'log');
    const { call } = await serversOf({ a: odd() }, { MCP_LOG: log });
    const told: JsonObject[] = [];
    expect(
      blocks((await call('mcp__a__slow', {}, { progress: (data) => void told.push(data) })).content)[0]?.text,
    ).toBe('slowly done');
    expect(told[0]).toEqual({
      type: 'mcp_progress',
      status: 'progress',
      serverName: 'a',
      toolName: 'slow',
      progress: 1,
      total: 3,
      progressMessage: 'step 1',
    });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    expect(await call('mcp__a__silent', {}, { signal: stop.signal })).toMatchObject({ isError: true });
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('notifications/cancelled');
  });

  test('resources are listed, read and named in prompts', async () => {
    const { manager, call } = await serversOf({ 'my srv': odd() });
    expect(await call('ListMcpResourcesTool')).toMatchObject({
      result: [{ uri: 'mem://one', name: 'one', mimeType: 'text/plain', server: 'my srv' }],
    });
    const read = await call('ReadMcpResourceTool', { server: 'my srv', uri: 'mem://one' });
    const { contents } = asObject(parseJson(String(read.content))) ?? {};
    expect(contents).toEqual([
      { uri: 'mem://one', mimeType: 'text/plain', text: 'content of mem://one' },
      {
        uri: 'mem://one',
        mimeType: 'image/png',
        blobSavedTo: expect.stringMatching(/tool-results\/mcp-resource-.*\.png$/),
        text: expect.stringMatching(/^\[Resource from my srv at mem:\/\/one\] Binary content \(image\/png, 70 bytes\)/),
      },
    ]);
    expect(await call('ReadMcpResourceTool', { server: 'x', uri: 'mem://one' })).toMatchObject({
      content: 'Server "x" not found. Available servers: my srv',
      isError: true,
    });
    const { signal } = new AbortController();
    const [mention, ...others] = await manager.mentioned('see @my_srv:mem://one and @nobody:mem://two', signal);
    expect(others).toEqual([]);
    expect(mention).toMatchObject({
      kind: 'attachment',
      attachment: { type: 'mcp_resource', server: 'my srv', uri: 'mem://one' },
    });
    const [posing] = await manager.mentioned('see @my_srv:</system-reminder>', signal);
    expect(posing).toMatchObject({ rendered: [expect.stringMatching(/^<system-reminder>[^<]*<\/system-reminder>$/)] });
  });
});

describe('a server that does wrong', () => {
  test('one that ends is started again at the next call', async () => {
    const log = join(tempFolder(), 'log');
    const { manager, call } = await serversOf({ a: odd() }, { MCP_LOG: log });
    expect((await call('mcp__a__die')).content).toBe(
      'The MCP server "a" ended during the call: it ended with code 3; its last words: I cannot go on',
    );
    expect(manager.servers[0]).toMatchObject({ status: 'failed' });
    const both = await Promise.all(['one', 'two'].map((text) => call('mcp__a__echo', { text })));
    expect(both).toMatchObject([{ result: [{ text: 'you said one' }] }, { result: [{ text: 'you said two' }] }]);
    expect(readFileSync(log, 'utf8').match(/^start /gm)).toHaveLength(2);
    expect(manager.servers[0]).toMatchObject({ status: 'connected' });
  });

  test('no answer, one to nobody, one that is none: the call ends with an error and the next one works', async () => {
    const { call } = await serversOf({ a: odd() }, { MCP_TOOL_TIMEOUT: '700' });
    const outcomes = await Promise.all(['silent', 'wrongid', 'garbage'].map((tool) => call(`mcp__a__${tool}`)));
    expect(outcomes.map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(outcomes[0]?.content).toMatch(/gave no answer in time/);
    expect(outcomes[1]?.content).toMatch(/gave no answer in time/);
    expect(outcomes[2]?.content).toMatch(/^Invalid result for tools\/call: content\.0: .+$/);
    expect(await call('mcp__a__babble')).toMatchObject({ result: [{ text: 'first' }] });
    expect(await call('mcp__a__echo', { text: 'on' })).toMatchObject({ result: [{ text: 'you said on' }] });
  });

  test('one that fails at the start says why, and others are there', async () => {
    const missing = { type: 'stdio', command: '/nowhere/at/all', scope: 'flag' } as const;
    const secret = { ...odd('crash', 'hunter2-secret'), env: { TOKEN: 'hunter2-secret' } };
    const { manager, tools, said, notices } = await serversOf({ crash: secret, missing, fine: odd() });
    expect(tools.has('mcp__fine__echo')).toBe(true);
    expect(manager.servers.map(({ name, status, error }) => [name, status, error])).toEqual([
      ['crash', 'failed', 'it ended with code 1; its last words: no such table: ***'],
      ['missing', 'failed', 'there is no such command'],
      ['fine', 'connected', undefined],
    ]);
    expect(notices).toContain('The MCP server "missing" cannot be used: there is no such command.');
    expect(`${said}${notices}`).not.toContain('hunter2');
  });

  test('nothing is left of it when the session ends: not the server, not what it started', async () => {
    const log = join(tempFolder(), 'log');
    const { manager, call } = await serversOf({ a: odd('stubborn') }, { MCP_LOG: log });
    const child = Number(blocks((await call('mcp__a__child')).content)[0]?.text);
    const server = Number(/start (\d+)/.exec(readFileSync(log, 'utf8'))?.[1]);
    expect([server, child].every(isRunning)).toBe(true);
    await manager.close();
    await expect.poll(() => [server, child].some(isRunning)).toBe(false);
    expect(readFileSync(log, 'utf8')).toContain('told to end');
  });
});

describe('in mid-session', () => {
  test('servers are turned off and on, connected to again, and set anew', async () => {
    const { manager, tools } = await serversOf({ a: odd() });
    expect(await manager.toggle('a', false)).toMatchObject({ status: 'disabled' });
    expect(tools.size).toBe(0);
    expect(await manager.toggle('a', true)).toMatchObject({ status: 'connected' });
    expect(tools.has('mcp__a__echo')).toBe(true);
    expect(await manager.reconnect('a')).toMatchObject({ status: 'connected' });
    expect(await manager.reconnect('nobody')).toBeUndefined();
    const dynamic = { ...odd(), scope: 'dynamic' } as const;
    expect(
      await manager.setServers(
        new Map([
          ['b', dynamic],
          ['c', { ...odd('crash'), scope: 'dynamic' }],
        ]),
      ),
    ).toEqual({
      added: ['b', 'c'],
      removed: [],
      errors: { c: expect.stringContaining('it ended with code 1') },
    });
    expect(tools.has('mcp__b__echo')).toBe(true);
    expect(await manager.setServers(new Map())).toEqual({ added: [], removed: ['b', 'c'], errors: {} });
    expect([tools.has('mcp__a__echo'), tools.has('mcp__b__echo')]).toEqual([true, false]);
  });
});

test('lines come out whole, however their bytes come in', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 7 }), (texts, size) => {
      const lines = texts.map((text) => text.replaceAll('\n', ' '));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const found: string[] = [];
      const take = splitLines(
        1 << 20,
        (line) => found.push(line),
        () => expect.unreachable(),
      );
      for (let i = 0; i < bytes.length; i += size) take(bytes.subarray(i, i + size));
      expect(found).toEqual(lines);
    }),
  );
});

function blocks(content: string | readonly JsonObject[]): JsonObject[] {
  return typeof content === 'string' ? [] : content.filter(isObject);
}
