/** C1, C2: compacting in a turn, with a model that answers by a list. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitted } from '../../src/agent/compact/render.ts';
import { runTurn } from '../../src/agent/loop.ts';
import type { HookAnswer, LoopParts, ModelRequest, TurnEnd } from '../../src/agent/ports.ts';
import { resumeSession } from '../../src/agent/session.ts';
import { asObject, asString, at, type JsonObject } from '../../src/format/json.ts';
import { type Answer, type Bench, bench, call, done, says, tool, toolsOf } from './parts.ts';
import { contextOf, linesOf, wrongIn } from './world.ts';

const NEVER = new AbortController().signal;
const LIMIT: Partial<LoopParts> = { compactAt: () => 1000 };
const FULL: JsonObject = { input_tokens: 990, output_tokens: 20 };

function using(usage: JsonObject, answer: Answer): Answer {
  return { ...answer, usage };
}

async function turn(it: Bench, content = 'Go', signal: AbortSignal = NEVER): Promise<TurnEnd> {
  const end = await runTurn(it.parts, { content, source: 'sdk' }, signal);
  const { file } = it.session.transcript;
  expect(wrongIn(file)).toEqual([]);
  expect(it.session.transcript.messages()).toEqual(contextOf(file).messages);
  return end;
}

function boundaries({ session }: Bench): JsonObject[] {
  return linesOf(session.transcript.file).filter(({ subtype }) => subtype === 'compact_boundary');
}

function summaries({ session }: Bench): JsonObject[] {
  return linesOf(session.transcript.file).filter(({ isCompactSummary }) => isCompactSummary === true);
}

/** All words of a request. */
function sent({ requests }: Bench, index: number): string {
  return JSON.stringify(requests[index]?.messages);
}

describe('before the limit', () => {
  test('in the middle of a turn: a summary takes the place of all before, the request stays word by word', async () => {
    const it = bench(
      [using(FULL, says(call('Echo', { text: 'x'.repeat(5000) }))), says('SUMMARY'), says('Done.')],
      LIMIT,
    );
    expect(await turn(it, 'Please do "this" exactly\nand that')).toMatchObject({
      reason: 'end_turn',
      text: 'Done.',
      rounds: 2,
    });
    const [, summarizing, after] = it.requests;
    expect(summarizing).toMatchObject({ tools: [], messages: [{ role: 'user' }] });
    expect(summarizing?.thinking).toBeUndefined();
    // Long results are not told.
    expect(sent(it, 1)).toContain('more characters are left out');
    expect(sent(it, 1).length).toBeLessThan(5000);
    expect(after?.messages).toHaveLength(1);
    const words = asString(after?.messages[0]?.content[0]?.text) ?? '';
    expect(words).toMatch(/^This session is being continued from a previous conversation that ran out of context\./);
    expect(words).toContain('Summary:\nSUMMARY');
    expect(words).toContain('<request>\nPlease do "this" exactly\nand that\n</request>');
  });

  test('C1: the lines of the newest client', async () => {
    const it = bench([using(FULL, says(call('Echo', { text: 'x' }))), says('SUMMARY'), says('Done.')], LIMIT);
    await turn(it);
    const lines = linesOf(it.session.transcript.file);
    const index = lines.findIndex(({ subtype }) => subtype === 'compact_boundary');
    const [result, boundary, summary, answer] = lines.slice(index - 1, index + 3);
    expect(boundary).toMatchObject({
      parentUuid: null,
      logicalParentUuid: result?.uuid,
      isSidechain: false,
      content: 'Conversation compacted',
      level: 'info',
      compactMetadata: { trigger: 'auto', preTokens: expect.any(Number), runningTurnPrompt: {} },
    });
    const meta = asObject(boundary?.compactMetadata);
    expect(meta?.preTokens).toBeGreaterThanOrEqual(1010);
    expect(meta?.cumulativeDroppedTokens).toBe(Number(meta?.preTokens) - Number(meta?.postTokens));
    expect(meta).not.toHaveProperty('preservedMessages');
    const prompt = lines.find(({ type }) => type === 'user');
    expect(summary).toMatchObject({
      parentUuid: boundary?.uuid,
      promptId: prompt?.promptId,
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
      summarizedTurnPromptUuids: [prompt?.uuid],
    });
    expect(answer).toMatchObject({ type: 'assistant', parentUuid: summary?.uuid });
  });

  test('what is used for it counts, but is no answer of the turn', async () => {
    const it = bench([using(FULL, says(call('Echo'))), says('SUMMARY'), says('Done.')], {
      ...LIMIT,
      limits: { maxTurns: 2 },
    });
    const end = await turn(it);
    expect(end).toMatchObject({ reason: 'end_turn', rounds: 2 });
    expect(end.costUSD).toBeCloseTo(0.03);
    expect(end.usage['claude-opus-5-5']).toMatchObject({ input_tokens: 1010 });
  });

  test('below it nothing happens; what came since the last answer is guessed', async () => {
    const small = bench([using({ input_tokens: 900 }, says(call('Echo', { text: 'x' }))), says('Done.')], LIMIT);
    await turn(small);
    expect(boundaries(small)).toEqual([]);
    const long = bench(
      [using({ input_tokens: 900 }, says(call('Echo', { text: 'x'.repeat(800) }))), says('SUMMARY'), says('Done.')],
      LIMIT,
    );
    await turn(long);
    expect(boundaries(long)).toHaveLength(1);
  });

  test('a session gone on with: what its last answer counted; without that the API is asked when a guess is near', async () => {
    const cases = [
      { usage: FULL, counted: [], times: 1 },
      { usage: { input_tokens: 100 }, counted: [], times: 0 },
      { usage: {}, tokens: 999, counted: [3], times: 0 },
      { usage: {}, tokens: 1000, counted: [3], times: 1 },
    ];
    for (const { usage, tokens, counted, times } of cases) {
      const before = bench([using(usage, says('x'.repeat(3000)))]);
      await turn(before);
      before.session.close();
      const { world } = before;
      const session = resumeSession(world.options, before.session.transcript.file);
      const it = bench([...(times > 0 ? [says('SUMMARY')] : []), says('Done.')], LIMIT, { world, session });
      const asked: number[] = [];
      const countTokens = async ({ messages }: ModelRequest) => {
        asked.push(messages.length);
        return { tokens: tokens ?? 0 };
      };
      await turn({ ...it, parts: { ...it.parts, model: { ...it.parts.model, countTokens } } }, 'More');
      expect([asked, boundaries(it).length]).toEqual([counted, times]);
      session.close();
    }
  });

  test('one that does not help is not done again', async () => {
    const it = bench(
      (_request, index) =>
        index === 1
          ? says('SUMMARY')
          : index < 6
            ? using(FULL, says(call('Echo', { text: 'x' })))
            : using(FULL, says('Done.')),
      LIMIT,
    );
    expect(await turn(it)).toMatchObject({ reason: 'end_turn' });
    expect(boundaries(it)).toHaveLength(1);
  });

  test('memory: of what was before nothing is looked at any more', async () => {
    const it = bench(
      (_request, index) =>
        index < 40
          ? says(call('Echo', { text: `${index}` }))
          : index === 40
            ? using(FULL, says(call('Echo')))
            : says('Done.'),
      LIMIT,
    );
    await turn(it);
    expect(boundaries(it)).toHaveLength(1);
    expect(it.session.transcript.unsettled).toBeLessThan(10);
  });

  test('interrupted while it is summarized: nothing changes but the marker', async () => {
    const stop = new AbortController();
    const it = bench(
      [using(FULL, says(call('Echo', { text: 'x' }))), { ...says('SUMM'), hangs: {}, onTold: () => stop.abort() }],
      LIMIT,
    );
    expect(await turn(it, 'Go', stop.signal)).toMatchObject({ reason: 'interrupted' });
    expect(boundaries(it)).toEqual([]);
    expect(JSON.stringify(it.session.transcript.messages())).toContain('[Request interrupted by user]');
  });
});

describe('what outlives it', () => {
  const noting = tool('TodoWrite', async () => done('kept'));
  const reading = tool('Read', async () => done('text'));
  const todos = [
    { content: 'Write tests', status: 'pending', activeForm: 'Writing tests' },
    { content: 'Read code', status: 'completed', activeForm: 'Reading code' },
  ];

  test('three times in 200 turns: every file, the open todos and the last request are sent, and all stays below the limit', async () => {
    let used = 0;
    const it = bench(
      (request, index) => {
        const text = JSON.stringify(request.messages);
        if (request.tools.length === 0) return says(`SUMMARY ${index}`);
        used = Math.round(text.length / 4);
        const last = request.messages.at(-1)?.content.at(-1);
        if (last?.type === 'tool_result') return using({ input_tokens: used }, says('Done.'));
        const input = index === 0 ? { todos } : { file_path: `/work/file-${index}.ts` };
        return using({ input_tokens: used }, says(call(index === 0 ? 'TodoWrite' : 'Read', input)));
      },
      { compactAt: () => 6000, tools: toolsOf(noting, reading) },
    );
    const paths = new Set<string>();
    for (let i = 0; i < 200; i += 1) {
      const end = await runTurn(it.parts, { content: `Request ${i} ${'words '.repeat(20)}`, source: 'sdk' }, NEVER);
      expect(end.reason).toBe('end_turn');
      expect(used).toBeLessThan(6100);
    }
    for (const line of linesOf(it.session.transcript.file)) {
      const [path] = /\/work\/file-\d+\.ts/.exec(JSON.stringify(line)) ?? [];
      if (path !== undefined) paths.add(path);
    }
    expect(boundaries(it).length).toBeGreaterThanOrEqual(3);
    const now = JSON.stringify(it.session.transcript.messages());
    expect([...paths].filter((path) => !now.includes(path))).toEqual([]);
    expect(paths.size).toBeGreaterThan(190);
    expect(now).toContain('[pending] Write tests');
    expect(now).not.toContain('[completed]');
    expect(now).toContain('Request 199');
    expect(wrongIn(it.session.transcript.file)).toEqual([]);
  }, 20_000);

  test('todos: the newest list counts, and one that is done is gone', async () => {
    const list = (...open: string[]) =>
      call('TodoWrite', { todos: open.map((content) => ({ content, status: 'in_progress', activeForm: content })) });
    const it = bench(
      [
        says(list('One', 'Two')),
        using(FULL, says(list('Two'))),
        says('SUMMARY'),
        using(FULL, says(list())),
        says('Done.'),
      ],
      { ...LIMIT, tools: toolsOf(noting) },
    );
    await turn(it);
    const [summary] = summaries(it);
    expect(at(summary, 'message', 'content')).toContain('Open todos:\n- [in_progress] Two\n');
    expect(at(summary, 'message', 'content')).not.toContain('] One');
  });
});

describe('the API says that it is too long', () => {
  const TOO_LONG = { type: 'invalid_request_error', status: 400, message: 'prompt is too long', tooLong: true };

  test('compacted, and asked once more', async () => {
    const it = bench([says(call('Echo')), { blocks: [], fails: TOO_LONG }, says('SUMMARY'), says('Done.')], LIMIT);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(boundaries(it)).toHaveLength(1);
  });

  test('once only: then the turn fails as before', async () => {
    const it = bench(
      [says(call('Echo')), { blocks: [], fails: TOO_LONG }, says('SUMMARY'), { blocks: [], fails: TOO_LONG }],
      LIMIT,
    );
    expect(await turn(it)).toMatchObject({ reason: 'failed', failure: { tooLong: true } });
    expect(it.requests).toHaveLength(4);
  });

  test('a window that an answer filled', async () => {
    const full = { ...says(call('Echo', { text: 'x' })), stopReason: 'model_context_window_exceeded' };
    const it = bench([full, says('SUMMARY'), says('Done.')], LIMIT);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', text: 'Done.' });
  });

  test('of the summary too: less is told until it fits, the first and the last of it always', async () => {
    let asked = 0;
    const it = bench(
      (request, index) => {
        if (index < 30) return says(call('Echo', { text: `step-${index}` }));
        if (request.tools.length > 0) return index < 35 ? { blocks: [], fails: TOO_LONG } : says('Done.');
        asked += 1;
        return asked < 3 ? { blocks: [], fails: TOO_LONG } : says('SUMMARY');
      },
      { compactAt: () => 1e6 },
    );
    await turn(it, 'The beginning');
    const told = it.requests.filter(({ tools }) => tools.length === 0).map(({ messages }) => JSON.stringify(messages));
    expect(told).toHaveLength(3);
    expect(told.at(-1)?.length).toBeLessThan((told[0]?.length ?? 0) * 0.6);
    for (const words of told) expect(words).toMatch(/The beginning.*step-29/s);
    expect(boundaries(it)).toHaveLength(1);
  });

  test('without anything to compact, or when it is switched off, it fails as before', async () => {
    for (const parts of [LIMIT, {}]) {
      const it = bench([{ blocks: [], fails: TOO_LONG }], parts);
      expect(await turn(it)).toMatchObject({ reason: 'failed', failure: { tooLong: true } });
      expect(it.requests).toHaveLength(1);
    }
  });
});

describe('when it cannot be done', () => {
  const FAILS: Answer = { blocks: [], fails: { type: 'api_error', status: 500, message: 'it broke' } };

  test.each([
    ['the summary fails', FAILS, 'it broke'],
    ['it is empty', says(), 'gave no summary'],
    ['it is refused', { ...says('No.'), stopReason: 'refusal' }, 'declined'],
  ])('%s: everything stays as it was, it is said, and not tried again in the turn', async (_, answer, why) => {
    const script = [
      using(FULL, says(call('Echo', { text: 'x' }))),
      answer,
      using(FULL, says(call('Echo'))),
      says('Done.'),
    ];
    const it = bench(script, LIMIT);
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(boundaries(it)).toEqual([]);
    expect(it.requests).toHaveLength(4);
    expect(it.requests[2]?.messages).toHaveLength(3);
    const told = linesOf(it.session.transcript.file).filter(({ subtype }) => subtype === 'informational');
    expect(told).toHaveLength(1);
    expect(told[0]?.content).toContain(why);
  });

  test('a hook does not allow it: the model is not asked for one', async () => {
    const events: string[] = [];
    const hooks = {
      run: async (event: string): Promise<HookAnswer> => {
        events.push(event);
        return event === 'PreCompact' ? { block: 'not now' } : {};
      },
    };
    const it = bench([using(FULL, says(call('Echo'))), says('Done.')], { ...LIMIT, hooks });
    expect(await turn(it)).toMatchObject({ reason: 'end_turn', text: 'Done.' });
    expect(boundaries(it)).toEqual([]);
    expect(events.filter((event) => /Compact/.test(event))).toEqual(['PreCompact']);
  });
});

test('U1: hooks hear of it, their wishes go to the summary, their lines follow it', async () => {
  const heard: [string, JsonObject][] = [];
  const line = { type: 'attachment', attachment: { type: 'hook_success', hookEvent: 'SessionStart' } };
  const hooks = {
    run: async (event: string, fields: JsonObject): Promise<HookAnswer> => {
      heard.push([event, fields]);
      if (event === 'PreCompact') return { context: ['Keep all names.'] };
      return event === 'SessionStart' ? { entries: [line] } : {};
    },
  };
  const it = bench([using(FULL, says(call('Echo'))), says('SUMMARY'), says('Done.')], { ...LIMIT, hooks });
  await turn(it);
  expect(heard.filter(([event]) => /Compact|Start/.test(event))).toEqual([
    ['PreCompact', { trigger: 'auto', custom_instructions: null }],
    ['SessionStart', { source: 'compact', model: 'claude-opus-5-5' }],
    ['PostCompact', { trigger: 'auto', compact_summary: 'SUMMARY' }],
  ]);
  expect(sent(it, 1)).toContain('Keep all names.');
  const [summary] = summaries(it);
  expect(linesOf(it.session.transcript.file).find(({ type }) => type === 'attachment')?.parentUuid).toBe(summary?.uuid);
});

test('what is told for a summary keeps to its length, and always begins and ends as the conversation does', () => {
  const words = fc.string({ minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 200, max: 3000 }),
      (texts, chars) => {
        const told = fitted(texts, chars);
        // Notes of what is left out come on top.
        expect(told.length).toBeLessThanOrEqual(chars + 2 * texts.length + 150);
        expect(told.startsWith(texts[0]?.slice(0, chars / 2) ?? '')).toBe(true);
        expect(told).toContain(texts.at(-1)?.slice(0, chars / 2));
        if (texts.join('').length <= chars / 2) expect(told).toBe(texts.join('\n\n'));
      },
    ),
  );
});
