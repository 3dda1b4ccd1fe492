/** Secrets in names: of tools, models, agents, files and projects. Each is its own, so that none is known from elsewhere. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assistant, chain, result, text, toJsonl, toolUse, user } from '../support/build.ts';
import { machine } from '../support/inprocess.ts';
import { rootWith } from '../support/skein.ts';
import { random } from './samples.ts';

const secretOf = (place: string) => `ghp_${random(36, place)}`;
const PLACES = ['tool', 'file', 'project', 'branch', 'model', 'agent', 'trigger', 'image'];
const [ONE, OTHER] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

const file = `/w/${secretOf('file')}.txt`;
const image = { type: 'image', source: { type: 'base64', media_type: secretOf('image'), data: 'iVBORw0KGgo=' } };
const LINES = [
  user('go'),
  assistant(toolUse('t1', `mcp__x__${secretOf('tool')}`, {}), { id: 'm1', model: secretOf('model') }),
  result('t1', [image]),
  assistant(toolUse('t2', 'Edit', { file_path: file, old_string: 'a', new_string: 'b' }), { id: 'm2' }),
  result('t2', 'ok', { toolUseResult: { filePath: file, oldString: 'a', newString: 'b', structuredPatch: [] } }),
  assistant(toolUse('t3', 'Task', { prompt: 'go', subagent_type: secretOf('agent') }), { id: 'm3' }),
  result('t3', 'ok', { toolUseResult: { status: 'completed', agentId: 'a1', content: [] } }),
  {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'x',
    compactMetadata: { trigger: secretOf('trigger'), preTokens: 3 },
  },
  assistant(text('done'), { id: 'm4', model: secretOf('model') }),
];

test.each([
  ['show ONE --tools full --no-pager', ['tool', 'file', 'project', 'image']],
  ['show ONE --tools full --format md', ['tool', 'project', 'image']],
  ['show ONE --json', ['tool', 'file']],
  ['list', ['project', 'branch', 'model']],
  ['tree', ['project', 'trigger']],
  ['context ONE', ['model']],
  ['diff ONE OTHER', ['tool']],
  ['usage', ['model']],
  ['usage --json', ['model']],
  ['usage --by project,branch', ['project', 'branch']],
  ['usage --by model', ['model']],
  ['usage --by model --json', ['model']],
  ['usage --by tool', ['tool']],
  ['usage --by tool --json', ['tool']],
  ['usage --explain', ['model']],
  ['usage --explain --json', ['model', 'project']],
] as const)('skein %s', async (words, revealed) => {
  const envelope = { cwd: `/w/${secretOf('project')}`, gitBranch: secretOf('branch') };
  const lines = { [ONE]: LINES, [OTHER]: [user('something else')] };
  const files = Object.entries(lines).map(([sessionId, each]) => [
    `${sessionId}.jsonl`,
    toJsonl(chain(each, { ...envelope, sessionId })),
  ]);
  const { run } = machine(rootWith(Object.fromEntries(files), writeFileSync));
  const argv = words.split(' ').map((word) => (word === 'ONE' ? ONE : word === 'OTHER' ? OTHER : word));
  const shownIn = (output: string) => PLACES.filter((place) => output.includes(secretOf(place).slice(4, 14)));
  const masked = await run(...argv);
  expect(shownIn(masked.text + masked.err)).toEqual([]);
  expect(shownIn((await run(...argv, '--reveal')).text)).toEqual(expect.arrayContaining([...revealed]));
});
