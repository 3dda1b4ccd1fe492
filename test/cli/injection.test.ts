/** Nothing that a transcript holds drives the terminal: every text in it that some verb prints has escapes in it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { agentProgress, assistant, chain, result, text, thinking, toJsonl, toolUse, user } from '../support/build.ts';
import { machine } from '../support/inprocess.ts';
import { rootWith } from '../support/skein.ts';

const EVIL = '\u001b[31mE\u001b]0;t\u0007\u009b2J\u202eI';
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const [ONE, OTHER] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

const said = (content: JsonObject | JsonObject[], id: string) =>
  assistant(content, { id: `${id}${EVIL}`, requestId: `r${EVIL}`, stop: EVIL, model: `mo${EVIL}` });
const image = { type: 'image', source: { type: 'base64', media_type: `image/png${EVIL}`, data: 'iVBORw0KGgo=' } };
const LINES: JsonObject[] = [
  user(`word ${EVIL}`),
  said([thinking(`word ${EVIL}`, EVIL), text(`word ${EVIL}`), { type: `block${EVIL}` }], 'm1'),
  said(toolUse(`t1${EVIL}`, `mcp__x__y${EVIL}`, { command: `word ${EVIL}`, [`k${EVIL}`]: EVIL }), 'm2'),
  result(`t1${EVIL}`, [text(`word ${EVIL}`)], { isError: true, toolUseResult: { stdout: EVIL, stderr: EVIL } }),
  said(toolUse('t2', 'Task', { description: EVIL, prompt: EVIL, subagent_type: `type${EVIL}` }), 'm3'),
  agentProgress({ ...user(EVIL), uuid: 'p1' }, `agent${EVIL}`, 't2'),
  result('t2', EVIL, { toolUseResult: { status: EVIL, agentId: `agent${EVIL}`, content: [], prompt: EVIL } }),
  said(toolUse('t3', 'Read', { file_path: `/w${EVIL}` }), 'm4'),
  result('t3', [image]),
  { type: 'system', subtype: 'compact_boundary', content: EVIL, compactMetadata: { trigger: EVIL, preTokens: 3 } },
  { type: `odd${EVIL}`, message: { role: EVIL, content: [{ type: `b${EVIL}`, text: EVIL }] } },
  user(`word ${EVIL}`, { timestamp: `${EVIL}${EVIL}` }),
  said(text('x'), 'm5'),
];

const VERBS = [
  'list',
  'show ONE --no-pager',
  'show ONE --tools full --thinking --no-pager',
  'show ONE --tools full --thinking --format md',
  'tree',
  'search word',
  'context ONE',
  'diff ONE OTHER',
  'usage',
  'usage --by model,project,branch',
  'usage --by chat,session,agent',
  'usage --by tool',
  'usage --explain',
  'check ONE --severity info',
  'check ONE --inventory',
  'clone ONE --dry-run',
];
const JSON_VERBS = ['list', 'show ONE', 'tree', 'search word', 'context ONE', 'usage --explain', 'usage --by tool'];

test.each([...VERBS, ...JSON_VERBS.map((verb) => `${verb} --json`)])('skein %s', async (words) => {
  const files = [ONE, OTHER].map((sessionId, n) => {
    const envelope = { sessionId, cwd: `/work/app${EVIL}`, gitBranch: `main${EVIL}`, version: `2${EVIL}` };
    const lines = LINES.slice(0, LINES.length - n * 9).map((line, place) => ({
      uuid: `u${n}-${place}${EVIL}`,
      ...line,
    }));
    return [`${sessionId}.jsonl`, toJsonl(chain(lines, envelope))];
  });
  const root = rootWith(Object.fromEntries(files), writeFileSync);
  const agents = join(root, 'projects', '-work-app', ONE, 'subagents');
  mkdirSync(agents, { recursive: true });
  const agent = LINES.slice(0, 4).map((line) => ({ ...line, isSidechain: true, agentId: `agent${EVIL}` }));
  writeFileSync(join(agents, 'agent-a1.jsonl'), toJsonl(chain(agent)));
  const { run } = machine(root);
  const argv = words.split(' ').map((word) => (word === 'ONE' ? ONE : word === 'OTHER' ? OTHER : word));
  const ran = await run(...argv);
  expect(ran.text.length).toBeGreaterThan(20);
  expect(`${ran.text}${ran.err}`.split('\n').filter((line) => ACTING.test(line))).toEqual([]);
  // What is escaped is still there.
  if (words.endsWith('--json')) expect(JSON.stringify(ran.json())).toContain('\u009b2J\u202eI');
});
