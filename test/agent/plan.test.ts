/** Plan mode and questions: what the person is shown, what may be done, what stands in the transcript. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Consent } from '../../src/agent/gate.ts';
import type { Asked } from '../../src/agent/ports.ts';
import { askSpecially, choiceOf } from '../../src/cli/chat/questions.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../src/format/json.ts';
import { calls, says } from '../support/scripted-model.ts';
import { talkWith } from './talkwith.ts';

const PLAN = '# Plan\n\n1. Do it\n';

const attachments = (entries: readonly JsonObject[]) =>
  entries
    .flatMap(({ attachment }): JsonObject[] => (isObject(attachment) ? [attachment] : []))
    .filter(({ type }) => String(type).startsWith('plan_'));
const results = (entries: readonly JsonObject[]) => entries.filter(({ toolUseResult }) => toolUseResult !== undefined);
const wordsOf = (entry: JsonObject | undefined) =>
  asString(asObject(asArray(asObject(entry?.message)?.content)?.[0])?.content) ?? '';
const modes = (entries: readonly JsonObject[]) =>
  entries.filter(({ type }) => type === 'permission-mode').map(({ permissionMode }) => permissionMode);

/** A person who always says the same. */
function person(consent: Consent) {
  const shown: Asked[] = [];
  const ask = async (asked: Asked): Promise<Consent> => {
    shown.push(asked);
    return consent;
  };
  return { shown, ask };
}

describe('plan mode', () => {
  test('L4: an approved plan is kept, the mode ends, and the results are in the words of the client (recorded k-plan)', async () => {
    const { shown, ask } = person('once');
    const write = calls('Write', { file_path: 'b.txt', content: 'b\n' });
    const talk = await talkWith([calls('ExitPlanMode', { plan: PLAN }), write, says('Done')]);
    expect((await talk.say('Make a plan', 'plan', { ask })).text).toBe('Done');
    expect(shown.map(({ tool, input }) => [tool.name, input.plan])).toEqual([
      ['ExitPlanMode', PLAN],
      ['Write', undefined],
    ]);
    const entries = talk.entries();
    const [left] = results(entries);
    const { filePath, ...result } = asObject(left?.toolUseResult) ?? {};
    expect(result).toEqual({ plan: PLAN, isAgent: false });
    const slug = entries.find(({ type }) => type === 'user')?.slug;
    expect(filePath).toBe(join(talk.home, '.claude', 'plans', `${slug}.md`));
    expect(readFileSync(String(filePath), 'utf8')).toBe(PLAN);
    expect(wordsOf(left)).toMatch(/^User has approved your plan\. .*\n## Approved Plan:\n# Plan/s);
    expect(left?.permissionDecision).toMatchObject({ decision: 'accept', source: 'user_temporary' });
    expect(attachments(entries)).toEqual([
      { type: 'plan_mode', reminderType: 'full', isSubAgent: false, planFilePath: filePath, planExists: false },
      { type: 'plan_mode_exit', planFilePath: filePath, planExists: true },
    ]);
    expect(modes(entries)).toEqual(['default']);
    expect(existsSync(join(talk.cwd, 'b.txt'))).toBe(true);
    expect(JSON.stringify(talk.model.requests[0]?.body)).toContain('Plan mode is on');
  });

  test('until then nothing is changed but the plan file itself', async () => {
    const plan = () =>
      join(talk.home, '.claude', 'plans', `${talk.entries().find(({ type }) => type === 'user')?.slug}.md`);
    const talk = await talkWith([
      calls('Write', { file_path: 'b.txt', content: 'b' }),
      calls('Bash', { command: 'touch c.txt' }),
      () => calls('Write', { file_path: plan(), content: PLAN }),
      calls('ExitPlanMode', {}),
      says('Done'),
    ]);
    await talk.say('Make a plan', 'plan', person('always'));
    const told = results(talk.entries());
    const denied = 'permission-rule';
    expect(told.map(({ toolDenialKind }) => toolDenialKind)).toEqual([denied, denied, undefined, undefined]);
    expect(asObject(told[3]?.toolUseResult)?.plan).toBe(PLAN);
    expect(modes(talk.entries())).toEqual(['acceptEdits']);
    expect(['b.txt', 'c.txt'].filter((name) => existsSync(join(talk.cwd, name)))).toEqual([]);
  });

  test('a link in the place of the plan is not written through', async () => {
    const plan = () =>
      join(talk.home, '.claude', 'plans', `${talk.entries().find(({ type }) => type === 'assistant')?.slug}.md`);
    const write = () => calls('Write', { file_path: plan(), content: PLAN });
    const talk = await talkWith([says('first'), write, says('Done')]);
    await talk.say('Begin', 'plan');
    mkdirSync(join(talk.home, '.claude', 'plans'));
    writeFileSync(join(talk.home, 'victim'), 'as it was');
    symlinkSync(join(talk.home, 'victim'), plan());
    await talk.say('Plan', 'plan');
    expect(results(talk.entries())[0]?.toolDenialKind).toBe('permission-rule');
    expect(readFileSync(join(talk.home, 'victim'), 'utf8')).toBe('as it was');
  });

  test('with nobody to ask it stays on, with a word, whatever rules allow', async () => {
    const talk = await talkWith([calls('ExitPlanMode', { plan: PLAN }), says('The plan: do it')], {
      '~/.claude/settings.json': { permissions: { allow: ['ExitPlanMode'] } },
    });
    await talk.say('Make a plan', 'plan');
    const [denied] = results(talk.entries());
    expect(wordsOf(denied)).toContain('nobody to approve');
    expect(denied?.toolDenialKind).toBe('user-rejected');
    expect(existsSync(join(talk.home, '.claude', 'plans'))).toBe(false);
    const names = asArray(talk.model.requests[0]?.body.tools)?.map((tool) => asObject(tool)?.name);
    expect(names).toContain('ExitPlanMode');
    expect(names).not.toContain('AskUserQuestion');
  });

  test('no ends the turn, and plan mode holds', async () => {
    const talk = await talkWith([calls('ExitPlanMode', { plan: PLAN })]);
    expect((await talk.say('Make a plan', 'plan', person('no'))).reason).toBe('interrupted');
    expect(modes(talk.entries())).toEqual([]);
  });

  test('EnterPlanMode asks; leaving goes back to the mode before', async () => {
    const talk = await talkWith([calls('EnterPlanMode', {}), calls('ExitPlanMode', { plan: PLAN }), says('Done')]);
    await talk.say('Do much', 'acceptEdits', person('once'));
    expect(modes(talk.entries())).toEqual(['plan', 'acceptEdits']);
    expect(attachments(talk.entries()).map(({ type }) => type)).toEqual(['plan_mode', 'plan_mode_exit']);
    const message =
      'Entered plan mode. You should now focus on exploring the codebase and designing an implementation approach.';
    expect(results(talk.entries())[0]?.toolUseResult).toEqual({ message });
  });

  test('outside of plan mode there is nothing to leave, and nobody is asked', async () => {
    const { shown, ask } = person('once');
    const talk = await talkWith([calls('ExitPlanMode', { plan: PLAN }), says('Done')]);
    await talk.say('Go', 'default', { ask });
    expect(shown).toEqual([]);
    expect(wordsOf(results(talk.entries())[0])).toContain('not on');
  });
});

const QUESTION = {
  question: 'Which color?',
  header: 'Color',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'r' },
    { label: 'Blue', description: 'b' },
  ],
};

/** A person at the console who answers with these lines. */
function desk(answers: readonly string[]) {
  const left = [...answers];
  const shown: string[] = [];
  const same = (text: string) => text;
  const style = { bold: same, dim: same, warn: same };
  const at = { style, line: (text: string) => void shown.push(text), answer: async () => left.shift() };
  return { shown, ask: async (asked: Asked): Promise<Consent> => askSpecially(asked, at) ?? 'no' };
}

describe('AskUserQuestion', () => {
  test('the answer stands in the result as recorded (k-perm), in every mode', async () => {
    const { shown, ask } = desk(['', '1']);
    const input = { questions: [QUESTION], answers: { 'Which color?': 'Blue' } };
    const talk = await talkWith([calls('AskUserQuestion', input), says('Red it is')]);
    await talk.say('Paint', 'bypassPermissions', { ask });
    const [told] = results(talk.entries());
    expect(wordsOf(told)).toBe(
      'Your questions have been answered: "Which color?"="Red". You can now continue with these answers in mind.',
    );
    expect(told?.toolUseResult).toEqual({
      questions: [QUESTION],
      answers: { 'Which color?': 'Red' },
      annotations: {},
    });
    const record = { decision: 'accept', source: 'user_temporary', grantScope: 'once', reasonCode: 'unknown' };
    expect(told?.permissionDecision).toEqual(record);
    expect(shown).toEqual(['? Which color?', '  1 Red  r', '  2 Blue  b']);
  });

  test('several may be chosen; own words are told as such; no answer ends the turn', async () => {
    const questions = [
      { ...QUESTION, multiSelect: true },
      { ...QUESTION, question: 'And then?' },
    ];
    const asks = calls('AskUserQuestion', { questions });
    const talk = await talkWith([asks, says('Well'), asks]);
    await talk.say('Paint', 'default', { ask: desk(['2, 1', 'neither']).ask });
    expect(wordsOf(results(talk.entries())[0])).toMatch(
      /^The user answered: "Which color\?"="Blue, Red", "And then\?"="neither"\./,
    );
    expect((await talk.say('Again', 'default', { ask: desk(['1']).ask })).reason).toBe('interrupted');
  });

  test('a hook that merely allows is no answer, and the model cannot give one itself', async () => {
    const decision = { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } };
    const command = `echo '${JSON.stringify({ hookSpecificOutput: decision })}'`;
    const hooks = { PermissionRequest: [{ hooks: [{ type: 'command', command }] }] };
    const input = { questions: [QUESTION], answers: { 'Which color?': 'Blue' } };
    const talk = await talkWith([calls('AskUserQuestion', input), says('Fine')], {
      '~/.claude/settings.json': { hooks },
    });
    await talk.say('Paint', 'default', { ask: desk(['1']).ask });
    expect(asObject(results(talk.entries())[0]?.toolUseResult)?.answers).toEqual({ 'Which color?': 'Red' });
  });

  test('a number is an option or stays what was said', () => {
    expect(choiceOf('3', ['a', 'b'], false)).toBe('3');
    expect(choiceOf('1 1 2', ['a', 'b'], true)).toBe('a, b');
    const said = fc.string().filter((text) => /[^\s,]/.test(text));
    fc.assert(fc.property(said, fc.boolean(), (text, several) => choiceOf(text, [], several) === text));
  });
});
