import { describe, expect, it } from 'vitest';
import type { ModelEvent, ModelOutcome, ModelRequest } from '../../../src/agent/ports.ts';
import { createWebSearch } from '../../../src/agent/tools/websearch.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { toToolResult } from '../../../src/graph/toolresults/read.ts';
import { call, testSession } from './shell-host.ts';

type Step = { readonly blocks: readonly (JsonObject | 'retry')[]; readonly outcome: ModelOutcome };

function scripted(...steps: Step[]) {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *ask(request: ModelRequest): AsyncGenerator<ModelEvent, ModelOutcome> {
      const step = steps[requests.length];
      requests.push(request);
      if (step === undefined) throw new Error('asked too often');
      for (const [index, block] of step.blocks.entries()) {
        yield block === 'retry'
          ? { kind: 'retry', failure: { type: 'overloaded_error', message: '' }, attempt: 1, maxRetries: 2, delayMs: 0 }
          : { kind: 'block', index, block };
      }
      return step.outcome;
    },
  };
}

const done = (stopReason = 'end_turn'): ModelOutcome => ({ kind: 'answer', stopReason, usage: {} });
const use = (query: string): JsonObject => ({
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query },
});
const hit = (n: number): JsonObject => ({
  type: 'web_search_result',
  title: `Page ${n}`,
  url: `https://a.example/${n}`,
  encrypted_content: 'x',
});
const found = (...content: JsonObject[]): JsonObject => ({
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content,
});
const text = (said: string): JsonObject => ({ type: 'text', text: said });

describe('a search', () => {
  it('asks with the server tool and gives the shape of the format', async () => {
    const model = scripted({
      blocks: [use('skein wool'), found(hit(1), hit(2)), text('It is '), text('yarn.')],
      outcome: done(),
    });
    const tool = createWebSearch(model, () => 'claude-x');
    const outcome = await call(tool, testSession(), { query: 'what is a skein', allowed_domains: ['a.example'] });
    expect(model.requests[0]).toMatchObject({
      model: 'claude-x',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Search the web for: what is a skein' }] }],
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8, allowed_domains: ['a.example'] }],
    });
    expect(outcome.result).toEqual({
      query: 'what is a skein',
      results: [
        {
          tool_use_id: 'srvtoolu_1',
          content: [
            { title: 'Page 1', url: 'https://a.example/1' },
            { title: 'Page 2', url: 'https://a.example/2' },
          ],
        },
        'It is yarn.',
      ],
      durationSeconds: expect.any(Number),
    });
    expect(outcome.text).toBe(
      'Found for "what is a skein":\n\n- Page 1: https://a.example/1\n- Page 2: https://a.example/2\n\nIt is yarn.',
    );
    expect(outcome.progress).toEqual([
      { type: 'query_update', query: 'skein wool' },
      { type: 'search_results_received', resultCount: 2, query: 'skein wool' },
    ]);
    expect(toToolResult('WebSearch', outcome.result)).toMatchObject({ kind: 'web_search', comments: ['It is yarn.'] });
  });

  it('goes on after a pause, and forgets the blocks of an attempt that was repeated', async () => {
    const model = scripted(
      { blocks: [use('lost'), 'retry', use('a'), found(hit(1))], outcome: done('pause_turn') },
      { blocks: [text('Done.')], outcome: done() },
    );
    const outcome = await call(
      createWebSearch(model, () => 'm'),
      testSession(),
      { query: 'query' },
    );
    expect(model.requests[1]?.messages[1]).toEqual({ role: 'assistant', content: [use('a'), found(hit(1))] });
    expect(outcome.result).toMatchObject({ results: [{ content: [{ title: 'Page 1' }] }, 'Done.'] });
  });

  it('that fails says why', async () => {
    const failure = { kind: 'failed', failure: { type: 'api_error', message: 'no credit' } } as const;
    const failing = createWebSearch(scripted({ blocks: [], outcome: failure }), () => 'm');
    expect(await call(failing, testSession(), { query: 'query' })).toMatchObject({
      isError: true,
      content: 'The search failed: no credit',
    });
    const refused: JsonObject = {
      type: 'web_search_tool_result',
      tool_use_id: 's',
      content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
    };
    const limited = createWebSearch(scripted({ blocks: [refused], outcome: done() }), () => 'm');
    expect((await call(limited, testSession(), { query: 'query' })).text).toContain(
      'The search failed: max_uses_exceeded',
    );
    const silent = createWebSearch(scripted({ blocks: [], outcome: done() }), () => 'm');
    expect((await call(silent, testSession(), { query: 'query' })).isError).toBe(true);
    const stopped = createWebSearch(scripted({ blocks: [], outcome: { kind: 'aborted' } }), () => 'm');
    expect((await call(stopped, testSession(), { query: 'query' })).isError).toBe(true);
  });

  it('takes one list of domains, not both', () => {
    const tool = createWebSearch(scripted(), () => 'm');
    expect(tool.refuse({ query: 'query', allowed_domains: ['a'], blocked_domains: ['b'] })).toContain('not both');
    expect(tool.refuse({ query: 'query', allowed_domains: [], blocked_domains: ['b'] })).toBeUndefined();
    expect(tool.definition()).toMatchObject({
      name: 'WebSearch',
      input_schema: { type: 'object', required: ['query'] },
    });
  });
});
