/** U1: the hooks of the client's recordings, replayed: the same events in the same order with the same fields. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asObject, asString, type JsonObject, parseJson } from '../../../src/format/json.ts';
import { type Chat, chatWith, entriesOf } from '../../support/chat.ts';
import { transcriptsBelow } from '../../support/files.ts';
import { calls, says, text, toolUse } from '../../support/scripted-model.ts';

const RECORDED = new URL('../../fixtures/recorded/', import.meta.url).pathname;
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'SessionEnd',
];
/** What the hooks of the recordings said. */
const SPOKEN = {
  SessionStart: 'echo hook says session started',
  UserPromptSubmit: 'echo hook prompt context',
};
const BLOCKING = {
  PreToolUse: 'echo tool blocked by hook >&2; exit 2',
  Stop: `grep -q '"stop_hook_active":true' "$KEPT" || { echo please continue, stop blocked >&2; exit 2; }`,
};

function listen(chat: Chat, name: string, answers: Readonly<Record<string, string>>): () => JsonObject[] {
  const kept = join(chat.cwd, '..', name);
  mkdirSync(kept);
  mkdirSync(join(chat.home, '.claude'), { recursive: true });
  const hooks = Object.fromEntries(
    EVENTS.map((event) => {
      const command = `KEPT=${kept}/$(date +%s%N)-${event}.json; cat > "$KEPT"; ${answers[event] ?? 'true'}`;
      return [event, [{ hooks: [{ type: 'command', command }] }]];
    }),
  );
  writeFileSync(join(chat.home, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  return () => heardIn(kept);
}

function heardIn(folder: string, only: (name: string) => boolean = () => true): JsonObject[] {
  const names = readdirSync(folder).filter(only).sort();
  return names.map((name) => asObject(parseJson(readFileSync(join(folder, name), 'utf8'))) ?? {});
}

/** What recordings hold of sub-agents and of compacting is for those who can do so. */
function isOurs(input: JsonObject): boolean {
  const { tool_name, prompt, last_assistant_message, source, hook_event_name: event } = input;
  if (input.agent_id !== undefined || tool_name === 'Agent' || tool_name === 'Task') return false;
  if (source === 'compact' || /Subagent|Compact/.test(String(event))) return false;
  return !String(prompt).startsWith('<task-') && last_assistant_message !== 'END OF SCRIPT (main)';
}

/** We have no effort, and do not guess what the cache of another run will cost. */
const NOT_OURS = new Set([
  'effort',
  'seconds_since_last_response',
  'context_tokens',
  'prompt_cache_likely_expired',
  'estimated_cache_write_usd',
]);

function shapeOf(input: JsonObject): string {
  const { hook_event_name: event, tool_name, source, reason, prompt, stop_hook_active } = input;
  const about = asString(tool_name ?? source ?? reason ?? prompt) ?? stop_hook_active;
  const fields = Object.keys(input).filter((key) => !NOT_OURS.has(key));
  return `${event} ${about}: ${fields.sort().join(' ')}`;
}

/** The scripted session of the recordings. */
async function replayed() {
  const chat = await chatWith([
    says([
      text('Working.'),
      toolUse('Read', { file_path: 'a.txt' }),
      toolUse('Bash', { command: 'exit 2', description: 'fail' }),
    ]),
    says('Done with hooks.'),
    says('Again done.'),
    calls('Bash', { command: 'echo hi > hi.txt', description: 'hi' }),
    says('Trying to stop.'),
    says('Stopped second time.'),
  ]);
  writeFileSync(join(chat.cwd, 'a.txt'), 'alpha\n');
  const mode = ['--permission-mode', 'bypassPermissions'];
  const heard = listen(chat, 'heard', SPOKEN);
  const first = await chat.run(['-p', 'Run with hooks', ...mode]);
  const second = await chat.run(['-p', 'Again with hooks', '--continue', ...mode]);
  const blocked = listen(chat, 'blocked', BLOCKING);
  const third = await chat.run(['-p', 'Blocked please', '--continue', ...mode]);
  return { chat, runs: [first, second, third], heard: heard(), blocked: blocked() };
}

test('U1: the session of the recordings, its events and what they leave', async () => {
  const { chat, runs, heard, blocked } = await replayed();
  const { entries, requests } = { entries: chat.entries(), requests: chat.model.requests };
  const folder = (version: string) => join(RECORDED, version, 'j-hooks', 'hooks');
  const recorded = (version: string, isBlocked: boolean) =>
    heardIn(folder(version), (name) => name.includes('-blk') === isBlocked).filter(isOurs);
  expect(runs.map(({ code, err, out }) => [code, err, out.trim()])).toEqual([
    [0, '', 'Done with hooks.'],
    [0, '', 'Again done.'],
    [0, '', 'Stopped second time.'],
  ]);

  // 2.1.325: the same events, in the same order, with the same fields
  {
    // The third run of the recording compacted.
    const theirs = recorded('2.1.325', false).map(shapeOf).slice(0, heard.length);
    expect(heard.map(shapeOf)).toEqual(theirs);
    expect(blocked.map(shapeOf)).toEqual(recorded('2.1.325', true).map(shapeOf));
  }

  // nothing that hooks of older clients were told is missing
  for (const version of ['1.0.111', '2.0.76', '2.1.45']) {
    // Older clients told nothing of a call that failed.
    const ours = [...heard, ...blocked].filter(({ hook_event_name }) => hook_event_name !== 'PostToolUseFailure');
    for (const theirs of [...recorded(version, false), ...recorded(version, true)]) {
      const like = ours.find((each) => each.hook_event_name === theirs.hook_event_name);
      expect(Object.keys(like ?? {})).toEqual(expect.arrayContaining(Object.keys(theirs)));
    }
  }

  // what hooks leave has the fields of the recording
  {
    const [file = ''] = transcriptsBelow(join(RECORDED, '2.1.325', 'j-hooks', 'projects')).filter(
      (each) => !each.includes('agent-'),
    );
    const left = (all: readonly JsonObject[]) =>
      all.flatMap((entry) => {
        const attachment = asObject(entry.attachment);
        if (String(attachment?.type).startsWith('hook_') && attachment?.hookName !== 'SessionStart:compact') {
          return [`${attachment?.hookName} ${Object.keys(attachment ?? {}).sort()} ${JSON.stringify(entry.rendered)}`];
        }
        if (entry.subtype !== 'stop_hook_summary') return [];
        const { hookErrors, preventedContinuation, hasOutput } = entry;
        return [`summary ${Array.isArray(hookErrors) && hookErrors.length} ${preventedContinuation} ${hasOutput}`];
      });
    const theirs = left(entriesOf(file));
    // The recording has a turn more: that of its sub-agent's report.
    // What a hook says at a resume the client keeps to itself; ours is told to the model, as at a start.
    const ours = left(entries).filter((each) => !each.startsWith('SessionStart:resume'));
    expect(new Set(ours)).toEqual(new Set(theirs));
  }

  // a blocking hook blocks: the call did not run and the model was told why
  {
    const result = entries.find((entry) => asObject(entry.permissionDecision)?.source === 'hook');
    expect(result?.toolUseResult).toMatch(/^Error: PreToolUse:Bash hook error: \[.*\]: tool blocked by hook\n$/s);
    expect(result).toMatchObject({
      toolDenialKind: 'permission-rule',
      permissionDecision: { decision: 'reject', source: 'hook', reasonType: 'hook', reasonCode: 'hook:PreToolUse' },
    });
    expect(readdirSync(chat.cwd)).not.toContain('hi.txt');
    expect(JSON.stringify(requests[5]?.messages.at(-1))).toContain('please continue, stop blocked');
    const feedback = entries.find((entry) =>
      String(asObject(entry.message)?.content).startsWith('Stop hook feedback:\n['),
    );
    expect(feedback?.isMeta).toBe(true);
  }

  // what hooks say is sent
  {
    const sent = JSON.stringify(requests[0]?.body.messages);
    expect(sent).toContain('SessionStart:startup hook success: hook says session started');
    expect(sent).toContain('UserPromptSubmit hook success: hook prompt context');
    expect(await chat.story()).toContain('Stopped second time.');
  }
});
