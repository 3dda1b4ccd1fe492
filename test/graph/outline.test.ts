import { describe, expect, test } from 'vitest';
import { readSessionOf } from '../../src/disk/read.ts';
import { jsonOf, type Source } from '../../src/format/entry.ts';
import { eachId, toIdList } from '../../src/format/idlist.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { createOutline, outlineOf, titleOf } from '../../src/graph/outline.ts';
import {
  assistant,
  attachment,
  chain,
  conversation,
  queueOperation,
  result,
  system,
  toolUse,
  user,
  uuidOf,
} from '../support/build.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { recorded } from '../support/sessions.ts';

const titles = (lines: readonly JsonObject[]) => {
  const outline = outlineOf(conversation(lines));
  return titleOf(outline.titles, new Set(eachId(outline.uuids)));
};

describe('outline', () => {
  test('H2: the uuids of what was said, without side chains; system entries and attachments apart', () => {
    const outline = outlineOf(
      conversation([
        user('Do it'),
        attachment('environment'),
        assistant('Done', { id: 'm1' }),
        system('turn_duration'),
        user('for the agent', { isSidechain: true, parentUuid: null }),
      ]),
    );
    expect([...eachId(outline.uuids)]).toEqual(['u1', 'u3']);
    expect([...eachId(outline.asides)]).toEqual(['u2', 'u4']);
  });

  test('with each whole object at hand it is the same, and prompts are not read again', () => {
    for (const file of transcriptsBelow(FIXTURES)) {
      const { entries } = readSessionOf(file);
      const outline = createOutline();
      for (const entry of entries) outline.add(entry, jsonOf(entry));
      expect(JSON.stringify(outline.result())).toBe(JSON.stringify(outlineOf(entries)));
    }
    const [first, ...more] = conversation([user('One'), user('Two'), user('Three')]);
    const outline = createOutline();
    if (first) outline.add(first, jsonOf(first));
    let reads = 0;
    const counted = (source: Source) => ({
      ...source,
      read(start: number, end: number) {
        reads += 1;
        return source.read(start, end);
      },
    });
    for (const entry of more) outline.add({ ...entry, source: counted(entry.source) }, jsonOf(entry));
    expect([outline.result().turns, outline.result().lastPrompt, reads]).toEqual([3, 'Three', 0]);
  });

  test('E12: a repeated uuid is listed once', () => {
    const outline = outlineOf(conversation([user('a'), assistant('b', { id: 'm1' }), user('a again', { uuid: 'u1' })]));
    expect([...eachId(outline.uuids)]).toEqual(['u1', 'u2']);
    expect(outline.turns).toBe(1);
  });

  test('E7, E9: prompts typed as queued commands and local commands count as turns', () => {
    const queued = attachment('queued_command', { prompt: 'and this', commandMode: 'prompt' });
    const command = system('local_command', { content: '<command-name>/usage</command-name>' });
    const outline = outlineOf(conversation([user('Go'), assistant('ok', { id: 'm1' }), queued, command]));
    expect(outline.turnUuids).toEqual(['u1', 'u3', 'u4']);
    expect(outline.turns).toBe(3);
  });

  test('E9: a prompt known only from the queue counts; one that was dequeued or shown does not twice', () => {
    const turns = (lines: readonly JsonObject[]) => outlineOf(conversation(lines)).turns;
    const [enqueue, shown] = [queueOperation('enqueue', 'while busy'), user('while busy')];
    const attached = attachment('queued_command', { prompt: 'while busy', commandMode: 'prompt' });
    expect(turns([user('Go'), enqueue, queueOperation('remove'), assistant('ok', { id: 'm1' })])).toBe(2);
    expect(turns([queueOperation('enqueue', 'Go'), queueOperation('dequeue'), user('Go')])).toBe(1);
    expect(turns([user('Go'), enqueue, assistant('ok', { id: 'm1' }), queueOperation('dequeue'), shown])).toBe(2);
    expect(turns([user('Go'), enqueue, queueOperation('remove', 'while busy'), attached])).toBe(2);
  });

  test('E11: the best title is the one given, then the model’s, then a summary of this conversation, then the first prompt', () => {
    const custom = { type: 'custom-title', customTitle: 'Mine' };
    const ai = { type: 'ai-title', aiTitle: 'Model’s' };
    const summary = { type: 'summary', summary: 'Summed up', leafUuid: 'u1' };
    const elsewhere = { type: 'summary', summary: 'Of another', leafUuid: 'x9' };
    const prompt = user('First\n  prompt');
    expect(titles([prompt, custom, ai, summary])).toBe('Mine');
    expect(titles([prompt, ai, summary])).toBe('Model’s');
    expect(titles([prompt, summary, elsewhere])).toBe('Summed up');
    expect(titles([prompt, elsewhere])).toBe('First prompt');
    expect(titles([])).toBeUndefined();
  });

  test('E11: what 1.0.111 wrote when its side request failed is no title', () => {
    expect(
      titles([user('First'), { type: 'summary', summary: 'Invalid API key · Please run /login', leafUuid: 'u1' }]),
    ).toBe('First');
  });

  test('E7: a question names a chat better than the local command before it', () => {
    const clear = user('<command-name>/clear</command-name>');
    expect(titles([clear, user('Now this')])).toBe('Now this');
    expect(titles([clear])).toBe('/clear');
    const custom = user(
      '<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>Bob</command-args>',
    );
    expect(titles([custom, user('Thanks')])).toBe('/greet Bob');
  });

  test('H1: what is said of other sessions', () => {
    const fork = (uuid: string, messageUuid: string) => ({ uuid, forkedFrom: { sessionId: 'old', messageUuid } });
    const { lineage } = outlineOf(
      conversation([
        { type: 'file-history-snapshot', timestamp: undefined },
        user('a', { ...fork('n1', 'o1'), parentUuid: 'p0', version: '1.0.111', promptId: 'p' }),
        assistant('b', { id: 'm1' }, { ...fork('n2', 'o2'), version: '1.0.111' }),
        system('compact_boundary', { logicalParentUuid: 'far', parentUuid: null }),
        user('c', { version: '2.1.45', promptId: 'p' }),
      ]),
    );
    expect(lineage).toMatchObject({
      firstParent: 'p0',
      logicalParents: ['far'],
      fork: { sessionId: 'old', uuid: 'n2' },
      renamed: toIdList(['n1', 'o1', 'n2', 'o2']),
      versions: [
        { version: '1.0.111', from: 0 },
        { version: '2.1.45', from: 2 },
      ],
      retold: true,
    });
  });

  test('H4: plans proposed, in the call or its result, and the plan a session was started with', () => {
    const proposed = outlineOf(
      conversation([
        user('Plan it'),
        assistant(toolUse('t1', 'ExitPlanMode', { plan: '# Plan\n1. Do it' }), { id: 'm1' }),
        result('t1', 'approved', { toolUseResult: { plan: 'From the file' } }),
      ]),
    );
    const started = outlineOf(
      conversation([user('Implement the following plan', { planContent: '# Plan\r\n1. Do it\n' })]),
    );
    expect(proposed.lineage.plans).toHaveLength(2);
    expect(proposed.lineage.plans).toContain(started.lineage.planContent);
    expect(outlineOf(conversation([user('x')])).lineage.planContent).toBeUndefined();
  });

  test('the recorded plan is found', () => {
    for (const version of ['2.1.45', '2.1.325']) {
      expect(recorded(version, 'k-plan').map(({ outline }) => outline.lineage.plans.length)).toEqual([1]);
    }
  });

  test('one pass, nothing kept of an entry but ids and titles', () => {
    const outline = createOutline();
    const lines = chain([user('x'.repeat(100_000)), assistant('y'.repeat(100_000), { id: 'm1' })]);
    for (const entry of conversation(lines)) outline.add(entry);
    expect(JSON.stringify(outline.result()).length).toBeLessThan(2_000);
    expect([...eachId(outline.result().uuids)]).toEqual([uuidOf(1), uuidOf(2)]);
  });
});
