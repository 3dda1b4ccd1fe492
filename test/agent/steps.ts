/** A session to which anything happens in any order; after each step what it would send is what its file says. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { CallPlace } from '../../src/agent/ports.ts';
import { newSession, resumeSession, type Session } from '../../src/agent/session.ts';
import { asObject, asString, type JsonObject } from '../../src/format/json.ts';
import { validate } from '../../src/graph/validate.ts';
import { contextOf, createWorld, type World, wrongIn } from './world.ts';

/** Everything that can happen to a session, in any order, also orders that the loop never makes. */
const text = fc.constantFrom('Hello', 'line\nline', ' ', '日本語 \u2028', 'x'.repeat(300));
const block = fc.oneof(
  { weight: 2, arbitrary: fc.constant('thinking' as const) },
  { weight: 3, arbitrary: fc.constant('text' as const) },
  { weight: 4, arbitrary: fc.constant('call' as const) },
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('prompt' as const), text, meta: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      blocks: fc.array(block, { minLength: 1, maxLength: 5 }),
      reuseId: fc.boolean(),
      model: fc.constantFrom('claude-opus-5-5', 'claude-opus-5-5', 'claude-opus-5-5', 'claude-sonnet-4-5'),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('result' as const), which: fc.nat(9), failed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('progress' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('interrupt' as const), tool: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('apiError' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retry' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('queued' as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('attachment' as const), text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('endTurn' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), isRunning: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ask' as const), model: fc.option(fc.constant('other-9')) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Run {
  readonly world: World;
  session: Session;
  open: CallPlace[];
  count: number;
}

function apply(run: Run, step: Step): void {
  const { transcript } = run.session;
  const callAt = (which: number): CallPlace | undefined => run.open[which % Math.max(run.open.length, 1)];
  switch (step.do) {
    case 'prompt':
      transcript.prompt(step.text, { source: 'typed', permissionMode: 'default', isMeta: step.meta });
      break;
    case 'answer':
      answer(run, step);
      break;
    case 'result': {
      const call = callAt(step.which);
      if (call === undefined) return;
      run.open = run.open.filter((each) => each !== call);
      transcript.result(call, { content: step.failed ? 'bad' : '', result: 'x', isError: step.failed });
      break;
    }
    case 'progress': {
      const call = callAt(step.which);
      if (call !== undefined) transcript.progress(call, { type: 'bash_progress', output: 'x' });
      break;
    }
    case 'interrupt':
      transcript.interrupted(step.tool ? 'tool' : 'answer');
      break;
    case 'apiError':
      transcript.apiError({ type: 'overloaded_error', message: 'Overloaded', status: 529 });
      break;
    case 'retry':
      transcript.abandon();
      transcript.system('api_error', { level: 'error' });
      break;
    case 'queued':
      transcript.queued({ content: step.text, uuid: crypto.randomUUID(), typed: new Date().toISOString() });
      break;
    case 'attachment':
      transcript.attachment({ type: 'date', date: step.text }, [`<system-reminder>\n${step.text}\n</system-reminder>`]);
      break;
    case 'endTurn':
      transcript.endTurn({ durationMs: 5, costUSD: 0 });
      break;
    case 'compact': {
      if (transcript.leaf === undefined) return;
      const fields = { trigger: 'auto', summary: 'In short.', preTokens: 9, postTokens: 1, durationMs: 1 } as const;
      transcript.compact(step.isRunning ? { ...fields, running: [] } : fields);
      break;
    }
    case 'reopen':
      if (transcript.leaf === undefined) return;
      run.session.close();
      run.session = resumeSession(run.world.options, transcript.file);
      break;
    default:
      if (transcript.leaf === undefined) return;
      expect(transcript.messages(step.model ?? undefined)).toEqual(
        contextOf(transcript.file, { model: step.model ?? undefined }).messages,
      );
  }
}

function answer(run: Run, { blocks, reuseId, model }: Extract<Step, { do: 'answer' }>): void {
  run.count += 1;
  const id = reuseId ? 'msg_same' : `msg_${run.count}`;
  for (const [index, kind] of blocks.entries()) {
    const made: JsonObject =
      kind === 'thinking'
        ? { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
        : kind === 'text'
          ? { type: 'text', text: `Answer ${run.count}` }
          : {
              type: 'tool_use',
              id: reuseId ? `call_${index}` : `toolu_${run.count}_${index}`,
              name: 'Read',
              input: {},
            };
    const entry = run.session.transcript.block(made, {
      id,
      model,
      index,
      stopReason: null,
      usage: { output_tokens: 1 },
    });
    const [written] = asBlocks(entry);
    if (kind === 'call')
      run.open.push({ toolUseId: asString(written?.id) ?? '', entryUuid: asString(entry.uuid) ?? '' });
  }
}

function asBlocks(entry: JsonObject): JsonObject[] {
  const content = asObject(entry.message)?.content;
  return Array.isArray(content) ? content.map((item) => asObject(item) ?? {}) : [];
}

function begin(): Run {
  const world = createWorld();
  const session = newSession(world.options);
  session.transcript.prompt('Begin', { source: 'typed', permissionMode: 'default' });
  return { world, session, open: [], count: 0 };
}

/** Throws when it does not hold. */
export function sendsWhatTheFileSays(runs: { readonly numRuns: number; readonly maxLength: number }): void {
  fc.assert(
    fc.property(fc.array(step, { maxLength: runs.maxLength }), fc.boolean(), (steps, always) => {
      const run = begin();
      try {
        for (const step of steps) {
          apply(run, step);
          const { transcript } = run.session;
          if (!always && step.do !== 'answer') continue;
          const messages = transcript.messages();
          expect(messages).toEqual(contextOf(transcript.file).messages);
          expect(validate(messages)).toEqual([]);
        }
        expect(wrongIn(run.session.transcript.file, ['error'])).toEqual([]);
      } finally {
        run.session.close();
      }
    }),
    { numRuns: runs.numRuns },
  );
}
