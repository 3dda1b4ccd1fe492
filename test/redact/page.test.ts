/** Secrets in every kind of name that reaches the viewer: in the page's data, in what the server answers, in an exported file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Agent } from '../../src/graph/agents.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { agentPage, callPage, chatPage, type PageOptions, pageTurn, turnHead } from '../../src/views/page/index.ts';
import { serve } from '../server/helpers.ts';
import { assistant, chain, result, text, toJsonl, toolUse, user } from '../support/build.ts';
import { chatRow } from '../support/chatrow.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { onlyChat, sessionsIn } from '../support/sessions.ts';
import { random } from './samples.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const secretOf = (place: string) => `ghp_${random(36, `page ${place}`)}`;
const PLACES = [
  ...[
    'tool',
    'model',
    'stop',
    'block',
    'image',
    'promptImage',
    'tag',
    'file',
    'patch',
    'agentType',
    'agentDescription',
  ],
  ...[
    'agentTool',
    'agentModel',
    'trigger',
    'project',
    'branch',
    'title',
    'failure',
    'server',
    'inputName',
    'todo',
    'link',
  ],
  ...['command', 'hook', 'queue', 'summary'],
];

const imageOf = (place: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: secretOf(place), data: 'iVBORw0KGgo=' },
});
const file = `/w/${secretOf('file')}.txt`;
const LINES = [
  user([{ type: 'text', text: `<${secretOf('tag')}>inside</${secretOf('tag')}>` }, text('go'), imageOf('promptImage')]),
  assistant(toolUse('t1', secretOf('tool'), { [secretOf('inputName')]: 1 }), {
    id: 'm1',
    model: secretOf('model'),
    stop: secretOf('stop'),
  }),
  result('t1', [imageOf('image')]),
  assistant([{ type: `block_${secretOf('block')}`, some: 'thing' }], { id: 'm2' }),
  assistant(toolUse('t2', 'Edit', { file_path: file, old_string: 'a', new_string: 'b' }), { id: 'm3' }),
  result('t2', 'ok', {
    toolUseResult: {
      filePath: `/w/${secretOf('patch')}`,
      oldString: 'a',
      newString: 'b',
      structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }],
    },
  }),
  assistant(
    toolUse('t3', 'Task', {
      prompt: 'go',
      description: secretOf('agentDescription'),
      subagent_type: secretOf('agentType'),
    }),
    {
      id: 'm4',
    },
  ),
  result('t3', 'ok', { toolUseResult: { status: 'completed', agentId: 'a1', content: [] } }),
  assistant(toolUse('t4', `mcp__${secretOf('server')}.example__do`, {}), { id: 'm5' }),
  result('t4', `bad ${secretOf('failure')}`, { isError: true }),
  assistant(toolUse('t5', 'TodoWrite', { todos: [{ content: secretOf('todo'), status: 'pending' }] }), { id: 'm6' }),
  result('t5', 'ok'),
  assistant([{ type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }], { id: 'm7' }),
  assistant(
    [
      {
        type: 'web_search_tool_result',
        tool_use_id: 's1',
        content: [{ type: 'web_search_result', title: 'x', url: `https://x/${secretOf('link')}` }],
      },
    ],
    { id: 'm7' },
  ),
  user(`<command-name>/${secretOf('command')}</command-name>`),
  {
    type: 'system',
    subtype: 'stop_hook_summary',
    content: secretOf('hook'),
    hookInfos: [{ command: secretOf('hook') }],
  },
  { type: 'attachment', attachment: { type: 'queued_command', prompt: secretOf('queue') } },
  {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'x',
    compactMetadata: { trigger: secretOf('trigger'), preTokens: 3 },
  },
  user(`summed up ${secretOf('summary')}`, { isCompactSummary: true }),
  assistant(text('done'), { id: 'm8' }),
  { type: 'custom-title', customTitle: secretOf('title') },
];
const AGENT = [
  user('go'),
  assistant(toolUse('a1t', secretOf('agentTool'), {}), { id: 'am1', model: secretOf('agentModel') }),
  result('a1t', 'ok'),
  assistant(text('agent done'), { id: 'am2' }),
];

function rootWithSecrets(): string {
  const root = tempFolder();
  const folder = join(root, 'projects', '-w-app');
  const envelope = { cwd: `/w/${secretOf('project')}`, gitBranch: secretOf('branch'), sessionId: ID };
  mkdirSync(join(folder, ID, 'subagents'), { recursive: true });
  writeFileSync(join(folder, `${ID}.jsonl`), toJsonl(chain(LINES, envelope)));
  const own = chain(AGENT, { ...envelope, isSidechain: true, agentId: 'a1' });
  writeFileSync(
    join(folder, ID, 'subagents', 'agent-a1.jsonl'),
    toJsonl(
      own.map((line) => ({ ...line, uuid: `a${line.uuid}`, parentUuid: line.parentUuid && `a${line.parentUuid}` })),
    ),
  );
  writeFileSync(
    join(folder, ID, 'subagents', 'agent-a1.meta.json'),
    JSON.stringify({ toolUseId: 't3', agentType: secretOf('agentType') }),
  );
  return root;
}

/** Also in part. */
function shownIn(output: string): string[] {
  return PLACES.filter((place) => output.includes(secretOf(place).slice(8, 20)));
}

const ROW = chatRow({ id: ID, project: '' });

test.each([
  ['masked', true],
  ['revealed', false],
])("the page's data, %s", (_, masked) => {
  const chat = onlyChat(sessionsIn(rootWithSecrets()));
  const masker = createMasker();
  const viewOf = (agent: Agent) => ({
    agentId: agent.agentId,
    type: agent.agentType,
    from: agent.from,
    tokens: 0,
    calls: 1,
    turns: turnsOf(agent.entries),
  });
  const [agent] = chat.allAgents;
  if (agent === undefined) throw new Error('no agent');
  const options: PageOptions = {
    mask: masked ? (each: string) => masker.mask(each) : undefined,
    agentOf: (call) => (call.id === 't3' ? viewOf(agent) : undefined),
  };
  const turns = turnsOf(chat.entriesOf(chat.current));
  const resume = { command: null, reason: null };
  const pages = [
    chatPage({ chat, row: ROW, version: '1', branch: undefined, turns, sourceOf: () => 'disk', resume, options }),
    ...turns.map((turn, index) => pageTurn(turn, turnHead(turn, index, [], options), options)),
    ...turns.flatMap(({ toolCalls }) => toolCalls.map((call) => callPage(call, options))),
    agentPage(viewOf(agent), undefined, options),
  ];
  // What the row of the list tells is masked by who hands it out; the others are not shown at all.
  const elsewhere = ['project', 'branch', 'title', 'trigger', 'link', 'hook'];
  const expected = masked ? [] : PLACES.filter((place) => !elsewhere.includes(place));
  expect(shownIn(JSON.stringify(pages))).toEqual(expected);
});

test('what the server answers', async () => {
  const server = await serve(['--root', rootWithSecrets()], { home: tempFolder() });
  await server.settled();
  const paths = [
    '/api/chats',
    `/api/chats/${ID}`,
    `/api/chats/${ID}/turns`,
    ...['t1', 't2', 't3', 't4', 't5', 's1'].map((call) => `/api/chats/${ID}/calls/${call}`),
    `/api/chats/${ID}/agents/a1`,
    `/api/chats/${ID}/calls/a1t?agent=a1`,
    ...['model', 'project', 'branch', 'agent', 'chat', 'tool'].map((by) => `/api/usage?by=${by}`),
    '/api/usage/explain',
    '/api/search?q=done',
  ];
  for (const path of paths) {
    const answer = await server.ask(path);
    expect([path, answer.status, shownIn(answer.text)]).toEqual([path, 200, []]);
  }
});

test.each(['html', 'md', 'json'])('an exported file: %s', async (format) => {
  const root = rootWithSecrets();
  const { run, home } = machine(root);
  const out = join(home, `out.${format}`);
  expect((await run('export', format, ID, '--to', out)).code).toBe(0);
  const written = readFileSync(out, 'utf8');
  expect(written.length).toBeGreaterThan(500);
  expect(shownIn(written)).toEqual([]);
});
