/** `/compact`: against a scripted API, each prompt in an agent of its own that resumes the session. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { asObject, asString, at, type JsonObject } from '../../src/format/json.ts';
import { transcriptsBelow } from '../support/files.ts';
import { calls, fails, says } from '../support/scripted-model.ts';
import { type TalkWith, talkWith } from './talkwith.ts';
import { contextOf, wrongIn } from './world.ts';

const RECORDED = new URL('../fixtures/recorded/2.1.325/j-hooks/hooks/', import.meta.url).pathname;
const BYPASS = 'bypassPermissions';

function boundary(chat: TalkWith): JsonObject | undefined {
  return chat.entries().findLast(({ subtype }) => subtype === 'compact_boundary');
}

function fileOf(chat: TalkWith): string {
  const [file = ''] = transcriptsBelow(chat.home);
  return file;
}

/** The words of a request, a text for each message. */
function told(chat: TalkWith, index: number): string[] {
  return (chat.model.requests[index]?.messages ?? []).map(
    ({ role, content }) => `${role} ${content.map((block) => asString(block.text) ?? block.type).join('|')}`,
  );
}

test('C1, C2: the lines of the recording, and what is sent after it by who resumes', async () => {
  const chat = await talkWith([
    says('First.'),
    says('Second.', { usage: { input_tokens: 160, output_tokens: 20 } }),
    says('SUMMARY'),
    says('After.'),
    says('More.'),
  ]);
  await chat.say('One');
  await chat.say('Two');
  const before = chat.entries().length;
  const end = await chat.say('/compact keep the names');
  expect(end).toMatchObject({ reason: 'end_turn', rounds: 0 });
  expect(end.text).toMatch(/^Compacted: \d+ → \d+ tokens$/);
  const lines = chat.entries().slice(before);
  const [made, summary, caveat, command, output] = lines;
  const answer = chat.entries().findLast(({ type }, index) => type === 'assistant' && index < before);
  expect(made).toMatchObject({
    type: 'system',
    subtype: 'compact_boundary',
    parentUuid: null,
    compactMetadata: {
      trigger: 'manual',
      preTokens: 180,
      preservedSegment: { headUuid: answer?.uuid, anchorUuid: summary?.uuid },
      preservedMessages: { anchorUuid: summary?.uuid, uuids: expect.arrayContaining([answer?.uuid]) },
    },
  });
  expect(made?.logicalParentUuid).toBe(at(made, 'compactMetadata', 'preservedSegment', 'tailUuid'));
  expect(summary).toMatchObject({ type: 'user', parentUuid: made?.uuid, isCompactSummary: true });
  expect(caveat).toMatchObject({ isMeta: true, parentUuid: summary?.uuid });
  expect(at(command, 'message', 'content')).toBe(
    '<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n            <command-args>keep the names</command-args>',
  );
  expect(at(output, 'message', 'content')).toBe('<local-command-stdout>Compacted </local-command-stdout>');
  expect(lines.find(({ type }) => type === 'last-prompt')).toMatchObject({ lastPrompt: 'Two' });
  expect(chat.model.requests[2]?.body.tools).toBeUndefined();
  expect(told(chat, 2).join()).toContain('keep the names');

  await chat.say('Three');
  const [first, second, third] = told(chat, 3);
  expect(first).toMatch(/^user This session is being continued.*SUMMARY.*<request>\nTwo\n<\/request>/s);
  expect(second).toBe('assistant Second.');
  expect(third).toMatch(/^user <local-command-caveat>.*\|Three$/s);
  await chat.say('Four');
  expect(told(chat, 4)).toEqual([...told(chat, 3), 'assistant After.', 'user Four']);
  expect(wrongIn(fileOf(chat))).toEqual([]);
  expect(contextOf(fileOf(chat)).messages).toHaveLength(6);
});

test('twice: the summary of the second tells the first, and what was used and dropped adds up', async () => {
  const chat = await talkWith([
    calls('Read', { file_path: '/a/one.ts' }),
    says('First.', { usage: { input_tokens: 5000 } }),
    says('SUMMARY ONE'),
    says('Second.', { usage: { input_tokens: 5000 } }),
    says('SUMMARY TWO'),
    says('ok'),
  ]);
  await chat.say('One', BYPASS);
  await chat.say('/compact');
  const dropped = Number(at(boundary(chat), 'compactMetadata', 'cumulativeDroppedTokens'));
  await chat.say('Two', BYPASS);
  await chat.say('/compact');
  expect(told(chat, 4).join()).toContain('SUMMARY ONE');
  expect(Number(at(boundary(chat), 'compactMetadata', 'cumulativeDroppedTokens'))).toBeGreaterThanOrEqual(dropped);
  await chat.say('Three');
  expect(told(chat, 5)[0]).toContain('- /a/one.ts');
  expect(told(chat, 5)[0]).not.toContain('SUMMARY ONE');
  const cost = chat.entries().findLast(({ type }) => type === 'cost-state');
  const [usage] = Object.values(asObject(cost?.modelUsage) ?? {});
  expect(asObject(usage)?.inputTokens).toBeGreaterThan(10_000);
  expect(wrongIn(fileOf(chat))).toEqual([]);
});

describe('when it is not done', () => {
  test('the summary fails: the history is what it was, and it is said', async () => {
    const chat = await talkWith([says('First.'), fails(400, { message: 'no credit' }), says('ok')]);
    await chat.say('One');
    const end = await chat.say('/compact');
    expect(end).toMatchObject({ reason: 'failed', failure: { status: 400 } });
    expect(end.failure?.message).toMatch(/^Not compacted, nothing has changed: .*no credit/);
    expect(boundary(chat)).toBeUndefined();
    await chat.say('Two');
    expect(told(chat, 2).slice(0, 2)).toEqual(['user One', 'assistant First.']);
    expect(wrongIn(fileOf(chat))).toEqual([]);
  });

  test('nothing was said yet', async () => {
    const chat = await talkWith([says('ok')]);
    expect(await chat.say('/compact')).toMatchObject({ reason: 'end_turn', text: 'There is nothing to compact yet.' });
    expect(chat.model.requests).toEqual([]);
    await chat.say('One');
    expect(chat.model.requests[0]?.refused).toBeUndefined();
  });

  test.each([
    ['by its exit code', 'echo no >&2; exit 2'],
    ['in JSON', `echo '{"decision":"block","reason":"no"}'`],
    ['by ending all', `echo '{"continue":false,"stopReason":"no"}'`],
  ])('U1: a PreCompact hook says no %s', async (_, command) => {
    const hooks = { PreCompact: [{ matcher: 'manual', hooks: [{ type: 'command', command }] }] };
    const chat = await talkWith([says('First.'), says('ok')], { '~/.claude/settings.json': { hooks } });
    await chat.say('One');
    expect((await chat.say('/compact')).text).toMatch(/^Not compacted: a PreCompact hook says .*no/s);
    expect(chat.model.requests).toHaveLength(1);
    expect(boundary(chat)).toBeUndefined();
  });
});

test('U1: what hooks are told, and what they leave', async () => {
  const log = (event: string) => [
    { hooks: [{ type: 'command', command: `cat >> ~/heard.jsonl; echo from ${event}` }] },
  ];
  const hooks = { PreCompact: log('PreCompact'), PostCompact: log('PostCompact'), SessionStart: log('SessionStart') };
  const chat = await talkWith([says('First.'), says('SUMMARY'), says('ok')], { '~/.claude/settings.json': { hooks } });
  await chat.say('One');
  await chat.say('/compact');
  const heard = readFileSync(`${chat.home}/heard.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => asObject(JSON.parse(line)));
  expect(heard.slice(-3)).toMatchObject([
    { hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: null, prompt_id: expect.any(String) },
    { hook_event_name: 'SessionStart', source: 'compact' },
    { hook_event_name: 'PostCompact', trigger: 'manual', compact_summary: 'SUMMARY' },
  ]);
  // The fields of the recording, in its order.
  const recorded = (name: RegExp) =>
    readdirSync(RECORDED)
      .filter((file) => name.test(file))
      .map((file) => asObject(JSON.parse(readFileSync(RECORDED + file, 'utf8'))))
      .filter((each) => each?.source === undefined || each.source === 'compact');
  const theirs = [/PreCompact/, /SessionStart\.json/, /PostCompact/].flatMap(recorded);
  expect(heard.slice(-3).map((each) => Object.keys(each ?? {}))).toEqual(theirs.map((each) => Object.keys(each ?? {})));
  expect(told(chat, 1).join()).toContain('from PreCompact');
  const after = chat.entries().slice(chat.entries().findIndex(({ subtype }) => subtype === 'compact_boundary'));
  const names = after.flatMap(({ attachment }) => asString(at(attachment, 'hookName')) ?? []);
  expect(names).toEqual(['SessionStart:compact']);
});

test('R13: a session that was killed in the middle of a call is compacted and gone on with', async () => {
  const chat = await talkWith([calls('Bash', { command: 'echo x' }), says('First.'), says('SUMMARY'), says('ok')]);
  await chat.say('One', BYPASS);
  const file = fileOf(chat);
  const lines = readFileSync(file, 'utf8').split('\n');
  const until = lines.findIndex((line) => line.includes('"tool_use"'));
  writeFileSync(file, `${lines.slice(0, until + 1).join('\n')}\n`);
  expect(await chat.say('/compact')).toMatchObject({ reason: 'end_turn' });
  expect(at(boundary(chat), 'compactMetadata')).not.toHaveProperty('preservedMessages');
  await chat.say('Two');
  expect(chat.model.requests.at(-1)?.refused).toBeUndefined();
  expect(wrongIn(file)).toEqual([]);
});

test('plan mode: the model is told of it again, in the turn that compacted', async () => {
  const full = { usage: { input_tokens: 990_000, output_tokens: 9 } };
  const chat = await talkWith([calls('Glob', { pattern: '*' }, full), says('SUMMARY'), says('Done.')]);
  await chat.say('Plan it', 'plan');
  expect(chat.model.requests).toHaveLength(3);
  const told = chat.entries().filter(({ attachment }) => at(attachment, 'type') === 'plan_mode');
  expect(told.map(({ attachment }) => at(attachment, 'reminderType'))).toEqual(['full', 'full']);
  expect(chat.model.requests[2]?.messages).toHaveLength(1);
  expect(JSON.stringify(chat.model.requests[2]?.messages)).toContain('/plans/');
});

test('a file that a prompt names counts as worked with', async () => {
  const it = await talkWith([says('Fine.'), says('SUMMARY'), says('Done.')], { 'notes.txt': 'alpha\n' });
  for (const prompt of ['Look at @notes.txt', '/compact']) await it.say(prompt);
  expect(await it.say('Go on')).toMatchObject({ text: 'Done.' });
  const last = JSON.stringify(it.model.requests.at(-1)?.messages);
  expect(last).toContain(`Files worked with so far:\\n- ${it.cwd}/notes.txt\\n`);
});
