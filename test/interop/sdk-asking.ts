/** Permissions and hooks: what the program is asked. */
import type { JsonObject } from '../../src/format/json.ts';
import { calls, says } from '../support/scripted-model.ts';
import { bash, made, models, results, type Scene } from './sdk-scene.ts';

export const ASKING: Readonly<Record<string, Scene>> = {
  'a tool that is allowed, other options': {
    script: () => [bash('echo one'), says('done')],
    play: async (stage) => {
      const systemPrompt = { type: 'preset', preset: 'claude_code', append: 'Be brief.' };
      const options = { allowedTools: ['Bash'], systemPrompt, maxTurns: 5, model: 'claude-sonnet-4-5' };
      await stage.drain(stage.query('Hi', { ...options, additionalDirectories: ['/tmp'] }));
      const isAppended = stage.api.turns.every(({ body }) => JSON.stringify(body).includes('Be brief.'));
      return { results: results(stage), models: models(stage), isAppended };
    },
  },

  'nobody to ask': {
    script: () => [bash('touch x1'), says('done')],
    play: async (stage) => {
      await stage.drain(stage.query('Hi'));
      return made(stage, 'x1');
    },
  },

  'canUseTool: allow, deny, another input, interrupt': {
    script: () => [bash('touch a1'), bash('touch a2'), bash('touch a3'), bash('touch a4'), says('never')],
    play: async (stage) => {
      const asked: JsonObject[] = [];
      const answers = [
        (input: JsonObject) => ({ behavior: 'allow', updatedInput: input }),
        () => ({ behavior: 'deny', message: 'not that' }),
        () => ({ behavior: 'allow', updatedInput: { command: 'touch b3' } }),
        () => ({ behavior: 'deny', message: 'stop now', interrupt: true }),
      ];
      const canUseTool = async (name: string, input: JsonObject, { toolUseID }: { toolUseID: string }) => {
        asked.push({ name, input, isNamed: toolUseID.startsWith('toolu_') });
        return answers[asked.length - 1]?.(input);
      };
      await stage.drain(stage.query('Hi', { canUseTool }));
      const refused = results(stage).filter(({ is_error }) => is_error);
      return { asked, refused, ...made(stage, 'a1', 'a2', 'a3', 'b3', 'a4') };
    },
  },

  'canUseTool changes what holds': {
    script: () => [
      bash('touch p1'),
      bash('touch p1'),
      calls('Write', { file_path: 'w.txt', content: 'x' }),
      says('done'),
    ],
    play: async (stage) => {
      const asked: string[] = [];
      const rule = { toolName: 'Bash', ruleContent: 'touch p1' };
      const canUseTool = async (name: string, input: JsonObject) => {
        asked.push(name);
        const updatedPermissions = [
          { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' },
          { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
        ];
        return { behavior: 'allow', updatedInput: input, updatedPermissions };
      };
      await stage.drain(stage.query('Hi', { canUseTool }));
      return { asked, ...made(stage, 'p1', 'w.txt') };
    },
  },

  'hooks of every kind': {
    script: () => [
      bash('touch h1'),
      bash('touch h2'),
      bash('touch h3'),
      bash('exit 3'),
      says('done'),
      says('really done'),
    ],
    play: async (stage) => {
      const heard: JsonObject[] = [];
      let [calledFor, stops] = [0, 0];
      const hook = (answer: (input: JsonObject) => object) => async (input: JsonObject) => {
        const { hook_event_name, tool_name = null, tool_input = null, prompt = null, stop_hook_active = null } = input;
        const { last_assistant_message = null, permission_mode = null } = input;
        heard.push({
          hook_event_name,
          tool_name,
          tool_input,
          prompt,
          stop_hook_active,
          last_assistant_message,
          permission_mode,
        });
        return answer(input);
      };
      const said = (event: string, fields: object) => ({ hookSpecificOutput: { hookEventName: event, ...fields } });
      const before = [
        said('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no way' }),
        said('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'touch h2b' } }),
        said('PreToolUse', { permissionDecision: 'allow' }),
        said('PreToolUse', { permissionDecision: 'allow' }),
      ];
      const hooks = {
        UserPromptSubmit: [{ hooks: [hook(() => said('UserPromptSubmit', { additionalContext: 'heard-context' }))] }],
        PreToolUse: [
          { matcher: 'Bash', hooks: [hook(() => before[calledFor++] ?? {})] },
          { matcher: 'Edit', hooks: [hook(() => ({}))] },
        ],
        PostToolUse: [{ hooks: [hook(() => said('PostToolUse', { additionalContext: 'after-context' }))] }],
        PostToolUseFailure: [{ hooks: [hook(() => ({}))] }],
        Stop: [{ timeout: 5, hooks: [hook(() => (stops++ === 0 ? { decision: 'block', reason: 'go on' } : {}))] }],
      };
      await stage.drain(stage.query('Hi', { hooks }));
      const sent = JSON.stringify(stage.api.turns.at(-1)?.body);
      return {
        heard,
        ...made(stage, 'h1', 'h2', 'h2b', 'h3'),
        told: ['heard-context', 'after-context', 'go on'].map((words) => sent.includes(words)),
        denied: results(stage)[0] ?? {},
      };
    },
  },

  'hooks that fail, or never answer': {
    script: () => [bash('echo fine'), says('done')],
    play: async (stage) => {
      const fail = async () => {
        throw new Error('boom');
      };
      const hooks = {
        PreToolUse: [{ hooks: [fail] }],
        PostToolUse: [{ timeout: 1, hooks: [() => new Promise(() => {})] }],
      };
      await stage.drain(stage.query('Hi', { allowedTools: ['Bash'], hooks }));
      return { results: results(stage) };
    },
  },

  'a prompt that a hook refuses': {
    script: () => [says('never')],
    play: async (stage) => {
      const hooks = { UserPromptSubmit: [{ hooks: [async () => ({ decision: 'block', reason: 'no prompts' })] }] };
      const error = await stage.drain(stage.query('Hi', { hooks }));
      return { error: error ?? null, requests: stage.api.turns.length };
    },
  },

  'a hook answers instead of a person': {
    script: () => [bash('touch q1'), bash('touch q2'), says('done')],
    play: async (stage) => {
      let count = 0;
      const decide = async () => {
        const decision = count++ === 0 ? { behavior: 'allow' } : { behavior: 'deny', message: 'no more' };
        return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
      };
      // The published client asks both at once and takes the first answer; we ask hooks first.
      const canUseTool = () => new Promise(() => {});
      await stage.drain(stage.query('Hi', { canUseTool, hooks: { PermissionRequest: [{ hooks: [decide] }] } }));
      return { ...made(stage, 'q1', 'q2'), results: results(stage).filter(({ is_error }) => is_error) };
    },
  },

  'a question with answers': {
    script: () => {
      const options = [
        { label: 'Red', description: 'warm' },
        { label: 'Blue', description: 'cold' },
      ];
      const questions = [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }];
      return [calls('AskUserQuestion', { questions }), says('done')];
    },
    play: async (stage) => {
      const asked: string[] = [];
      const canUseTool = async (name: string, input: JsonObject) => {
        asked.push(name);
        return { behavior: 'allow', updatedInput: { ...input, answers: { 'Which colour?': 'Blue' } } };
      };
      await stage.drain(stage.query('Hi', { canUseTool, systemPrompt: { type: 'preset', preset: 'claude_code' } }));
      const [told] = results(stage);
      return { asked, isTold: JSON.stringify(told ?? null).includes('Blue'), is_error: told?.is_error ?? null };
    },
  },
};
