import { expect, test } from 'vitest';
import type { AgentOptions } from '../../../src/agent/agenttypes.ts';
import { NOT_APPROVED } from '../../../src/agent/mcp/approve.ts';
import { consentOf } from '../../../src/agent/mcp/asktool.ts';
import type { McpOptions } from '../../../src/agent/mcp/types.ts';
import type { LoopEvent } from '../../../src/agent/ports.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../../src/format/json.ts';
import { lastWords } from '../../support/chat.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { type TalkWith, talkWith } from '../talkwith.ts';
import { odd } from './servers.ts';

function mcp(more: Partial<McpOptions> = {}, env: Record<string, string> = {}): { readonly mcp: McpOptions } {
  const server = odd();
  const configured = server.type === 'stdio' ? { ...server, env } : server;
  return { mcp: { servers: new Map([['a', configured]]), ...more } };
}

const NEITHER = { deny: expect.stringContaining('neither a yes nor a no'), interrupt: false };
const echo = calls('mcp__a__echo', { text: 'hi' });
const allowing = (...allow: string[]) => ({ '~/.claude/settings.json': { permissions: { allow } } });

/** The results of calls, as they were sent. */
function results({ model }: TalkWith): JsonObject[] {
  const messages = model.requests.at(-1)?.messages ?? [];
  return messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
}

test('a tool of a server is asked about; a rule for it or for its server allows it', async () => {
  const unsaid = await talkWith([echo, says('END')]);
  await unsaid.say('Go', 'default', mcp());
  expect(results(unsaid)[0]).toMatchObject({ is_error: true });
  expect(unsaid.model.requests[0]?.body.tools).toContainEqual(expect.objectContaining({ name: 'mcp__a__echo' }));
  const talk = await talkWith([echo, says('END')], allowing('mcp__a'));
  await talk.say('Go', 'default', mcp());
  expect(results(talk)[0]?.content).toEqual([{ type: 'text', text: 'you said hi' }]);
});

test('in plan mode only what reads is run; a rule that denies hides the tool', async () => {
  const settings = { permissions: { allow: ['mcp__a'], deny: ['mcp__a__big'] } };
  const script = [echo, calls('mcp__a__empty', {}), says('END')];
  const plan = await talkWith(script, { '~/.claude/settings.json': settings });
  await plan.say('Go', 'plan', mcp());
  expect(results(plan).map(({ is_error }) => is_error)).toEqual([undefined, true]);
  const names = (asArray(plan.model.requests[0]?.body.tools) ?? []).map((tool) => asObject(tool)?.name);
  expect(names).toContain('mcp__a__empty');
  expect(names).not.toContain('mcp__a__big');
});

test('what stands in the transcript is what the client writes; progress is told', async () => {
  const talk = await talkWith([echo, calls('mcp__a__slow', {}), says('END')], allowing('mcp__a'));
  const events: LoopEvent[] = [];
  await talk.say('Go', 'default', { ...mcp(), emit: (event) => void events.push(event) });
  const [first, second] = talk.entries().filter(({ toolUseResult }) => toolUseResult !== undefined);
  expect(first).toMatchObject({
    toolUseResult: [{ type: 'text', text: 'you said hi' }],
    mcpMeta: { _meta: { trace: 'x' } },
  });
  expect(first).not.toHaveProperty('mcpCallNotReadOnly');
  expect(second).toMatchObject({ mcpCallNotReadOnly: 'no_hint' });
  const progress = events.filter(({ kind }) => kind === 'tool-progress');
  expect(progress[0]).toMatchObject({ data: { type: 'mcp_progress', serverName: 'a', progress: 1 } });
});

test('/mcp, prompts as commands, resources in what is said', async () => {
  const talk = await talkWith([says('END'), says('END')]);
  const ends = await talk.sayAll(
    ['/mcp', '/mcp reconnect x', '/mcp__a__review this well', 'see @a:mem://one'],
    'default',
    mcp(),
  );
  expect(ends[0]?.text).toMatch(/^a: connected \(flag, 23 tools\)/);
  expect(ends[1]?.text).toBe('There is no MCP server named x. There are: a.');
  expect(lastWords(talk.model, 0)).toMatch(
    /<command-name>\/mcp__a__review<\/command-name>[\s\S]*\nReview {"what":"this","how":"well"}$/,
  );
  expect(JSON.stringify(talk.model.requests[0]?.body.system)).toContain('## a\\nEcho with care.');
  expect(lastWords(talk.model, 1)).toContain('The resource mem://one of the MCP server a:\ncontent of mem://one');
});

test('a person is asked once about a server of the project', async () => {
  const servers = new Map(['p', 'q'].map((name) => [name, { ...odd(), scope: 'project', off: NOT_APPROVED } as const]));
  const talk = await talkWith([says('END'), says('END')]);
  const asked: string[] = [];
  const ask: AgentOptions['ask'] = async ({ input }) => {
    const question = asString(asObject(asArray(input.questions)?.[0])?.question) ?? '';
    asked.push(question);
    return question.includes('"p"') ? { input: { ...input, answers: { [question]: 'Yes, here always' } } } : 'no';
  };
  await talk.sayAll(['Go', 'On'], 'default', { ask, mcp: { servers, asks: true } });
  expect(asked).toHaveLength(2);
  expect(asked[0]).toContain(`mcp-odd.ts fine`);
  const tools = JSON.stringify(talk.model.requests[0]?.body.tools);
  expect([tools.includes('mcp__p__echo'), tools.includes('mcp__q__echo')]).toEqual([true, false]);
  expect(talk.notices).toContainEqual(expect.stringMatching(/^p: connected .*\nRemembered in /));
});

test('a server of the project is approved in the chat', async () => {
  const talk = await talkWith([says('END')]);
  const server = { ...odd(), scope: 'project', off: NOT_APPROVED } as const;
  const servers = new Map([['p', server]]);
  const ends = await talk.sayAll(['/mcp', '/mcp approve p', 'Go'], 'default', { mcp: { servers } });
  expect(ends[0]?.text).toMatch(/^p: disabled \(project\): it was not approved/);
  expect(ends[1]?.text).toMatch(/^p: connected \(project, 23 tools\)\nRemembered in .*settings\.local\.json\./);
  expect(JSON.stringify(talk.model.requests[0]?.body.tools)).toContain('mcp__p__echo');
});

test('--permission-prompt-tool: it may allow something else than was asked for', async () => {
  const bash = calls('Bash', { command: 'true > f', description: 'd' });
  const talk = await talkWith([bash, says('END')]);
  const PERMIT = '{"behavior":"allow","updatedInput":{"command":"echo two","description":"d"}}';
  await talk.say('Go', 'default', mcp({ permissionTool: 'mcp__a__permit' }, { PERMIT }));
  expect(results(talk)[0]?.content).toBe('two');
  // It is not for the model to call.
  expect(JSON.stringify(talk.model.requests[0]?.body.tools)).not.toContain('mcp__a__permit');
});

test.each([
  ['{"behavior":"allow"}', 'once'],
  ['{"behavior":"allow","updatedInput":{"a":1}}', { input: { a: 1 } }],
  ['{"behavior":"deny","message":"no way"}', { deny: 'no way', interrupt: false }],
  ['{"behavior":"deny","message":"no","interrupt":true}', { deny: 'no', interrupt: true }],
  ['yes', NEITHER],
  ['{"behavior":"allow","updatedInput":5}', NEITHER],
  ['{"behavior":"deny"}', NEITHER],
  ['{"behavior":"ALLOW"}', NEITHER],
  ['', NEITHER],
])('what is not clearly allowed is denied: %s', (said, consent) => {
  expect(consentOf(said, 'mcp__a__permit')).toEqual(consent);
});

test('a tool that is to decide and is not there: nothing runs', async () => {
  const talk = await talkWith([calls('Bash', { command: 'true > f', description: 'd' }), says('END')]);
  await talk.say('Go', 'default', mcp({ permissionTool: 'mcp__a__nobody' }));
  expect(results(talk)[0]).toMatchObject({
    is_error: true,
    content: expect.stringContaining('no tool named mcp__a__nobody'),
  });
});

test('a session without servers loads nothing of the protocol and has its tools', async () => {
  const talk = await talkWith([says('END')]);
  const end = await talk.say('/mcp');
  expect(end.text).toContain('No MCP server is configured');
  expect(asString(talk.entries().find(isObject)?.type)).toBeDefined();
});
