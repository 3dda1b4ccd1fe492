/** Agents, MCP servers, and what can be changed and looked up in mid-session. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { asArray, asObject, isObject, type JsonObject } from '../../src/format/json.ts';
import { calls, says, text, toolUse } from '../support/scripted-model.ts';
import { feed } from './sdk.ts';
import { bash, gate, held, made, models, ONE, type Scene, TWO } from './sdk-scene.ts';

export const PARTS: Readonly<Record<string, Scene>> = {
  'agents of the program': {
    script: () => [
      calls('Agent', { description: 'look', prompt: 'find it', subagent_type: 'finder', run_in_background: false }),
      says([text('looking'), toolUse('Bash', { command: 'echo sub' })]),
      says('found'),
      says('done'),
    ],
    play: async (stage) => {
      const finder = { description: 'finds things', prompt: 'You find things.', tools: ['Bash'], model: 'haiku' };
      const heard: JsonObject[] = [];
      const hook = async ({ hook_event_name, agent_type }: JsonObject) => {
        heard.push({ hook_event_name, agent_type });
        return {};
      };
      const hooks = { SubagentStart: [{ hooks: [hook] }], SubagentStop: [{ hooks: [hook] }] };
      await stage.drain(stage.query('Hi', { allowedTools: ['Bash', 'Task', 'Agent'], agents: { finder }, hooks }));
      const own = stage.api.turns[1]?.body;
      const isTold = JSON.stringify(own?.system ?? '').includes('You find things.');
      const tools = asArray(own?.tools)
        ?.filter(isObject)
        .map(({ name }) => name ?? '');
      return { models: models(stage), heard, isTold, tools: tools ?? [] };
    },
  },

  'an agent in the background': {
    script: () => (request) => {
      const sent = JSON.stringify(request.body.messages);
      if (sent.includes('find it') && !sent.includes('start one')) return says('found it', { hold: gate('behind') });
      if (sent.includes('task-notification')) return says('told');
      const input = {
        description: 'look',
        prompt: 'find it',
        subagent_type: 'general-purpose',
        run_in_background: true,
      };
      return sent.includes('tool_result') ? says('started') : calls('Agent', input);
    },
    play: async (stage) => {
      const done = stage.drain(stage.query('start one', { allowedTools: ['Task', 'Agent'] }));
      await stage.came('result');
      held.get('behind')?.release();
      await done;
      return {};
    },
  },

  'MCP tools in the program': {
    script: () => [calls('mcp__calc__add', { a: 1, b: 2 }), calls('mcp__calc__fail', {}), says('3')],
    play: async (stage) => {
      const { sdk } = stage;
      const add = async ({ a, b }: JsonObject) => ({ content: [{ type: 'text', text: `${Number(a) + Number(b)}` }] });
      const fail = async () => ({ content: [{ type: 'text', text: 'it went wrong' }], isError: true });
      const tools = [
        sdk.tool('add', 'Adds', { a: z.number(), b: z.number() }, add),
        sdk.tool('fail', 'Fails', {}, fail),
      ];
      const calc = sdk.createSdkMcpServer({ name: 'calc', version: '1.0.0', tools });
      const query = stage.query('Hi', { mcpServers: { calc }, allowedTools: ['mcp__calc__add', 'mcp__calc__fail'] });
      await stage.drain(query);
      const told = stage.seen
        .filter(({ type }) => type === 'user')
        .flatMap(({ message }) => asArray(asObject(message)?.content)?.filter(isObject) ?? [])
        .map(({ content, is_error = false }) => ({ words: JSON.stringify(content).slice(0, 14), is_error }));
      return { servers: stage.seen[0]?.mcp_servers ?? null, told };
    },
  },

  'model, mode and thinking in mid-session': {
    script: () => [says('one'), bash('touch s1'), says('two'), says('three')],
    play: async (stage) => {
      const prompts = feed();
      prompts.say('one');
      const query = stage.query(prompts, { allowDangerouslySkipPermissions: true });
      const done = stage.drain(query);
      await stage.came('result');
      await query.setModel('claude-haiku-4-5');
      await query.setPermissionMode('bypassPermissions');
      await query.setMaxThinkingTokens(2000);
      prompts.say('two');
      await stage.came('result', 2);
      await query.setModel();
      await query.setMaxThinkingTokens(null);
      const refused = await query.setPermissionMode('nonsense').then(
        () => false,
        () => true,
      );
      prompts.say('three');
      prompts.end();
      await done;
      const budgets = stage.api.turns.map(({ body }) => asObject(body.thinking)?.budget_tokens ?? null);
      const inits = stage.seen.filter(({ subtype }) => subtype === 'init');
      const modes = inits.map(({ permissionMode, model }) => [permissionMode ?? '', model ?? '']);
      return { models: models(stage), budgets: budgets.slice(0, 2), refused, modes, ...made(stage, 's1') };
    },
  },

  'a mode that was not allowed at the start': {
    script: () => [says('one')],
    play: async ({ query, drain, came }) => {
      const prompts = feed();
      prompts.say('one');
      const asked = query(prompts);
      const done = drain(asked);
      await came('result');
      const error = await asked.setPermissionMode('bypassPermissions').then(
        () => null,
        (reason: Error) => reason.message,
      );
      prompts.end();
      await done;
      return { error };
    },
  },

  'what can be asked of a session': {
    script: () => [says('ok')],
    play: async ({ query, drain }) => {
      const prompts = feed();
      const asked = query(prompts);
      const done = drain(asked);
      const [commands, models, agents] = [
        await asked.supportedCommands(),
        await asked.supportedModels(),
        await asked.supportedAgents(),
      ];
      const [account, servers] = [await asked.accountInfo(), await asked.mcpServerStatus()];
      prompts.say('x');
      prompts.end();
      await done;
      const keys = (list: readonly JsonObject[], names: readonly string[]) =>
        list.every((each) => names.every((name) => typeof each[name] === 'string'));
      return {
        commands: commands.length > 0 && keys(commands, ['name', 'description', 'argumentHint']),
        models: keys(models, ['value', 'resolvedModel', 'displayName', 'description']),
        aliases: ['default', 'opus', 'sonnet', 'haiku'].map((name) => models.some(({ value }) => value === name)),
        agents: ['Explore', 'general-purpose', 'Plan'].map((name) => agents.some((each) => each.name === name)),
        account,
        servers,
      };
    },
  },

  'files brought back': {
    script: () => [calls('Write', { file_path: 'f.txt', content: 'new' }), says('done')],
    play: async (stage) => {
      const prompts = feed();
      prompts.say('one', ONE);
      const options = { permissionMode: 'acceptEdits', enableFileCheckpointing: true };
      const query = stage.query(prompts, { ...options, extraArgs: { 'replay-user-messages': null } });
      const done = stage.drain(query);
      await stage.came('result');
      const before = made(stage, 'f.txt');
      const { filesChanged, ...dry } = await query.rewindFiles(ONE, { dryRun: true });
      const real = await query.rewindFiles(ONE);
      const wrong = await query.rewindFiles(TWO).then(
        () => null,
        (reason: Error) => reason.message,
      );
      prompts.end();
      await done;
      return { before, dry, changed: asArray(filesChanged)?.length ?? 0, real, wrong, after: made(stage, 'f.txt') };
    },
  },

  'whose files count': {
    script: () => () => says('ok'),
    play: async (stage) => {
      const folder = join(stage.cwd, '.claude');
      for (const name of ['agents', 'commands']) mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(stage.cwd, 'CLAUDE.md'), 'words-of-the-project');
      writeFileSync(join(stage.cwd, 'CLAUDE.local.md'), 'words-for-me');
      writeFileSync(join(folder, 'agents', 'one.md'), '---\nname: agent-one\ndescription: d\n---\nbody');
      writeFileSync(join(folder, 'commands', 'command-one.md'), 'body');
      for (const settingSources of [[], ['project'], ['local']]) {
        await stage.drain(stage.query('Hi', { settingSources }));
      }
      const has = (value: object | undefined, ...words: string[]) =>
        words.map((each) => JSON.stringify(value ?? null).includes(each));
      return {
        told: stage.api.turns.map(({ body }) => has(body, 'words-of-the-project', 'words-for-me')),
        found: stage.seen
          .filter(({ subtype }) => subtype === 'init')
          .map((init) => has(init, 'agent-one', 'command-one')),
      };
    },
  },

  'MCP tools are asked about; servers in mid-session': {
    script: () => [calls('mcp__late__ping', {}), says('one'), calls('mcp__late__ping', {}), says('two')],
    play: async (stage) => {
      const { sdk } = stage;
      const ping = async () => ({ content: [{ type: 'text', text: 'pong' }] });
      const late = sdk.createSdkMcpServer({
        name: 'late',
        version: '1.0.0',
        tools: [sdk.tool('ping', 'Pings', {}, ping)],
      });
      const asked: string[] = [];
      const canUseTool = async (name: string, input: JsonObject) => {
        asked.push(name);
        return { behavior: 'allow', updatedInput: input };
      };
      const prompts = feed();
      const query = stage.query(prompts, { canUseTool });
      const done = stage.drain(query);
      const { added, removed, errors } = await query.setMcpServers({ late });
      prompts.say('one');
      await stage.came('result');
      const states = (await query.mcpServerStatus()).map(({ name, status }) => [name ?? '', status ?? '']);
      const gone = await query.setMcpServers({});
      prompts.say('two');
      prompts.end();
      await done;
      const words = stage.seen
        .filter(({ type }) => type === 'user')
        .map(({ message }) => JSON.stringify(message).includes('pong'));
      return { asked, added: added ?? [], removed: removed ?? [], errors: errors ?? {}, states, gone, words };
    },
  },
};
