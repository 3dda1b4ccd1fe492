/** Prompts, sessions and how turns end. */
import { asObject } from '../../src/format/json.ts';
import { calls, fails, says } from '../support/scripted-model.ts';
import { feed } from './sdk.ts';
import { answersSent, bash, gate, held, idsOf, ONE, results, type Scene, TWO } from './sdk-scene.ts';

export const TURNS: Readonly<Record<string, Scene>> = {
  'one prompt': {
    script: () => [says('Hello.')],
    play: async ({ query, drain }) => ({ error: (await drain(query('Hi'))) ?? null }),
  },

  'events of the model': {
    script: () => [says('Hello world')],
    play: async ({ query, drain }) => ({ error: (await drain(query('Hi', { includePartialMessages: true }))) ?? null }),
  },

  'several prompts, one while a turn runs': {
    script: () => [{ ...bash('echo one'), hold: gate('several') }, says('first'), says('second')],
    play: async (stage) => {
      const prompts = feed();
      prompts.say('one', ONE);
      const done = stage.drain(stage.query(prompts, { allowedTools: ['Bash'] }));
      await held.get('several')?.reached;
      prompts.say('two', TWO);
      await stage.came('command_lifecycle', 3);
      held.get('several')?.release();
      await stage.came('result');
      prompts.say('three');
      prompts.end();
      await done;
      const isHeard = JSON.stringify(stage.api.turns[1]?.body).includes('two');
      return {
        isHeard,
        lifecycle: stage.seen.flatMap(({ command_uuid, state }) => (state ? [[command_uuid ?? '', state]] : [])),
      };
    },
  },

  'interrupt while the model answers': {
    script: () => [says('never', { hold: gate('answers') }), says('after')],
    play: async (stage) => {
      const prompts = feed();
      prompts.say('one');
      const query = stage.query(prompts);
      const done = stage.drain(query);
      await held.get('answers')?.reached;
      const receipt = await query.interrupt();
      await stage.came('result');
      held.get('answers')?.release();
      prompts.say('two');
      prompts.end();
      await done;
      return { receipt: asObject(JSON.parse(JSON.stringify(receipt))) ?? {} };
    },
  },

  'interrupt while a tool runs': {
    script: () => [bash('sleep 20'), says('after')],
    play: async (stage) => {
      const prompts = feed();
      prompts.say('one');
      const query = stage.query(prompts, { allowedTools: ['Bash'] });
      const done = stage.drain(query);
      await stage.came('assistant');
      await new Promise((resolve) => setTimeout(resolve, 300));
      await query.interrupt();
      await stage.came('result');
      prompts.say('two');
      prompts.end();
      await done;
      return {};
    },
  },

  'resume, continue': {
    script: () => [says('one'), says('two'), says('three')],
    play: async (stage) => {
      await stage.drain(stage.query('a'));
      const id = stage.seen[0]?.session_id;
      await stage.drain(stage.query('b', { resume: id }));
      await stage.drain(stage.query('c', { continue: true }));
      return { ids: idsOf(stage), said: answersSent(stage) };
    },
  },

  'fork a session': {
    script: () => [says('one'), says('two'), says('three')],
    play: async (stage) => {
      await stage.drain(stage.query('a'));
      const id = stage.seen[0]?.session_id;
      await stage.drain(stage.query('b', { resume: id, forkSession: true }));
      await stage.drain(stage.query('c', { resume: id }));
      return { ids: idsOf(stage), said: answersSent(stage) };
    },
  },

  'the most turns': {
    script: () => [bash('echo 1'), bash('echo 2'), says('never')],
    play: async (stage) => {
      const error = await stage.drain(stage.query('Hi', { maxTurns: 1, allowedTools: ['Bash'] }));
      return { error: error ?? null, requests: stage.api.turns.length };
    },
  },

  'an answer in a form of its own': {
    script: () => [
      calls('StructuredOutput', { answer: 'no number' }),
      calls('StructuredOutput', { answer: 42 }),
      says('never'),
    ],
    play: async (stage) => {
      const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
      await stage.drain(stage.query('Hi', { outputFormat: { type: 'json_schema', schema } }));
      return { errors: results(stage).map(({ is_error }) => is_error ?? false) };
    },
  },

  'a model that does not give it': {
    script: () => () => says('never'),
    play: async (stage) => {
      const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
      await stage.drain(stage.query('Hi', { outputFormat: { type: 'json_schema', schema } }));
      return { requests: stage.api.turns.length };
    },
  },

  'an error of the API': {
    script: () => () => fails(403, { message: 'not for you' }),
    play: async ({ query, drain }) => ({ isThrown: (await drain(query('Hi'))) !== undefined }),
  },

  'a program that gives up': {
    script: () => [says('never', { hold: gate('gives up') })],
    play: async (stage) => {
      const abortController = new AbortController();
      const done = stage.drain(stage.query('Hi', { abortController }));
      await held.get('gives up')?.reached;
      abortController.abort();
      const error = await done;
      held.get('gives up')?.release();
      return { error: error ?? null };
    },
  },
};
