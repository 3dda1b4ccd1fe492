/** What a slim takes out and what it leaves, rule by rule. */
import { describe, expect, test } from 'vitest';
import { PRESET_NAMES, PRESETS } from '../../src/edit/slim/settings.ts';
import { type Entry, jsonOf } from '../../src/format/entry.ts';
import { asString, type JsonObject } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import { pairToolCalls } from '../../src/graph/toolcalls.ts';
import {
  assistant,
  attachment,
  chain,
  entriesOf,
  image,
  progress,
  queueOperation,
  result,
  system,
  text,
  thinking,
  toolUse,
  user,
} from '../support/build.ts';
import { CLONE_ID, expectSound, SOURCE_ID, writtenBytes } from '../support/edit-properties.ts';
import { slimmed, wordsSent } from '../support/rewrites.ts';
import * as lines from '../support/transcript.ts';

const LONG = 'long output '.repeat(1000);

/** A turn with one call: the prompt, thinking, the call, its result, the answer. */
function turn(number: number, output = LONG): JsonObject[] {
  const id = `toolu_${number}`;
  return [
    user(`prompt ${number}`),
    assistant(thinking(`thought ${number}`), { id: `msg_${number}`, stop: 'tool_use' }),
    assistant(toolUse(id, 'Bash', { command: `run ${number}`, note: LONG }), { id: `msg_${number}`, stop: 'tool_use' }),
    result(id, output, { toolUseResult: { stdout: output } }),
    assistant(`answer ${number}`, { id: `msg_${number}b` }),
  ];
}

const turns = (count: number) => Array.from({ length: count }, (_, i) => turn(i + 1)).flat();
const read = (lines: readonly JsonObject[]) => entriesOf(chain(lines, { sessionId: SOURCE_ID }));
const values = (entries: readonly Entry[]) => entries.map((entry) => jsonOf(entry) ?? {});
const callsIn = (entries: readonly Entry[]) => pairToolCalls(entries).calls.map(({ id }) => id);
const bytesOf = (entries: readonly Entry[]) => entries.at(-1)?.line.end ?? 0;

describe('S7: presets', () => {
  test.each(PRESET_NAMES)('%s keeps its last turns whole, and what was said in all', (name) => {
    const source = read(turns(14));
    const { entries, draft, report } = slimmed(source, PRESETS[name]);
    expectSound(draft);
    for (let i = 1; i <= 14; i += 1) {
      expect(wordsSent(entries)).toContain(`prompt ${i}`);
      expect(wordsSent(entries)).toContain(`answer ${i}`);
    }
    const { turns: kept } = PRESETS[name];
    expect(report.turns).toEqual({ all: 14, whole: kept });
    const whole = values(entries).filter((value) => value.toolUseResult !== undefined);
    expect(whole).toHaveLength(kept);
    expect(JSON.stringify(values(entries)).split(LONG).length - 1).toBe(kept * 3);
  });

  test('each takes out more than the one before', () => {
    const sizes = PRESET_NAMES.map((name) => bytesOf(slimmed(read(turns(14)), PRESETS[name]).entries));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  test.each(PRESET_NAMES)('%s of its own result changes nothing but ids', (name) => {
    const once = slimmed(read(turns(14)), PRESETS[name]);
    const twice = slimmed(once.entries, PRESETS[name], { from: CLONE_ID });
    const plain = (entries: readonly Entry[]) => values(entries).map(({ forkedFrom: _, ...value }) => value);
    expect(plain(twice.entries)).toEqual(plain(once.entries));
  });

  test.each([
    [
      'R9: a system line that is not sent lies among the lines of a message',
      [
        lines.user(1, null, 'go'),
        lines.assistant(2, 1, 'm1', [lines.use('t1')]),
        lines.user(3, 2, [lines.result('t1')]),
        lines.assistant(4, 3, 'm1', [lines.use('t2')]),
        lines.system(5, 1, 'informational'),
        lines.user(6, 4, [lines.result('t2')]),
      ],
    ],
    [
      'S3: a result comes after typed words, with a note before it',
      [
        lines.user(1, null, 'go'),
        lines.assistant(2, 1, 'm1', [lines.use('t1')]),
        lines.attachment(3, 2, 'note'),
        lines.user(4, 2, 'typed'),
        lines.user(5, 4, [lines.result('t1')]),
      ],
    ],
    [
      'R6: a call on the way is marked as of a sub-agent',
      [
        lines.user(1, null, 'go'),
        lines.assistant(2, 1, 'm1', [lines.use('t1')], { isSidechain: true }),
        lines.user(3, 2, [lines.result('t1')]),
        lines.assistant(4, 3, 'm2', 'done'),
      ],
    ],
  ])('%s: done again it changes nothing', (_, source) => {
    const once = slimmed(entriesOf(source), PRESETS.bare);
    const twice = slimmed(once.entries, PRESETS.bare, { from: CLONE_ID });
    const plain = (entries: readonly Entry[]) => values(entries).map(({ forkedFrom: _from, ...value }) => value);
    expect(plain(twice.entries)).toEqual(plain(once.entries));
  });

  test('the clone of a slim and what is said after it slim alike', () => {
    const once = slimmed(read(turns(8)), PRESETS.standard);
    const more = slimmed(once.entries, PRESETS.deep, { from: CLONE_ID });
    // Stubs still name the first session.
    const stubs = wordsSent(more.entries) + JSON.stringify(context(more.entries).messages);
    expect(stubs).toContain(`skein cat ${SOURCE_ID.slice(0, 8)} --uuid u3`);
    expect(stubs).not.toContain(`skein cat ${CLONE_ID.slice(0, 8)}`);
  });
});

describe('stubs', () => {
  const { entries } = slimmed(read(turns(7)), PRESETS.standard);
  const results = context(entries).messages.flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_result'),
  );

  test('a shortened result keeps its beginning and end, and names its original', () => {
    const said = asString(results[0]?.content) ?? '';
    expect(said.length).toBeLessThanOrEqual(PRESETS.standard.results);
    expect(said.startsWith('long output ')).toBe(true);
    const stub = `[skein: ${LONG.length} characters of Bash result removed; original: skein cat ${SOURCE_ID.slice(0, 8)} --uuid u4]`;
    expect(said).toContain(stub);
  });

  test('S5: the record of a shortened result is gone, that of a whole one stays', () => {
    const records = values(entries).filter(({ toolUseResult }) => toolUseResult !== undefined);
    expect(records).toHaveLength(5);
  });

  test('no stub is longer than what it stands for', () => {
    const short = slimmed(read([...turn(1, 'ok'), ...turns(2)]), { ...PRESETS.deep, turns: 1 });
    expect(JSON.stringify(context(short.entries).messages)).toContain('"content":"ok"');
  });

  test('S4: where calls are removed the turn says which', () => {
    const bare = slimmed(read(turns(2)), PRESETS.bare).entries;
    const stub = `[skein: calls of Bash removed; original: skein show ${SOURCE_ID.slice(0, 8)} --turn u3 --tools full]`;
    expect(wordsSent(bare).split('\n').slice(0, 3)).toEqual(['prompt 1', stub, 'answer 1']);
  });

  test('images give way to a stub, in prompts and in results', () => {
    const lines = [
      user([text('look'), image()]),
      assistant(toolUse('t1', 'Read'), { id: 'm1' }),
      result('t1', [image()]),
    ];
    const { entries: slim } = slimmed(read([...lines, assistant('seen', { id: 'm2' }), ...turns(5)]), PRESETS.standard);
    const sent = JSON.stringify(context(slim).messages);
    expect(sent).not.toContain('"type":"image"');
    expect(sent.split('image/png of 9 bytes removed').length - 1).toBe(2);
    expect(wordsSent(slim)).toContain('look');
  });

  test('a character is never cut in half', () => {
    const { entries: slim } = slimmed(read([...turn(1, '😀'.repeat(2000)), ...turns(5)]), PRESETS.standard);
    expect(JSON.stringify(values(slim))).not.toMatch(/\\ud8|\\udf/i);
  });
});

describe('S2, S3: pairs and thinking', () => {
  test('bare takes every call with its result, over all lines of the message', () => {
    const lines = [
      user('go'),
      assistant([text('both'), toolUse('t1'), toolUse('t2')], { id: 'm1' }),
      result('t2'),
      result('t1'),
      assistant('done', { id: 'm2' }),
    ];
    const { entries, draft } = slimmed(read(lines), PRESETS.bare);
    expectSound(draft);
    expect(callsIn(entries)).toEqual([]);
    expect(wordsSent(entries)).toContain('both');
  });

  test('the tool loop that is still open is left as it is', () => {
    const open = [...turns(3), user('go'), ...turn(4).slice(1, 4)];
    const { entries, draft } = slimmed(read(open), PRESETS.bare);
    expectSound(draft);
    const sent = JSON.stringify(context(entries).messages);
    expect(sent).toContain('thought 4');
    expect(sent).not.toContain('thought 3');
    expect(callsIn(entries)).toEqual(['toolu_4']);
    expect(sent).toContain(LONG);
  });

  test('an interrupted loop is open as well', () => {
    const lines = [user('go'), ...turn(1).slice(1, 4), user([text('[Request interrupted by user]')])];
    expect(callsIn(slimmed(read(lines), PRESETS.bare).entries)).toEqual(['toolu_1']);
  });

  test('thinking is byte-identical or gone', () => {
    const { entries } = slimmed(read(turns(7)), PRESETS.standard);
    const thoughts = values(entries).filter((value) => JSON.stringify(value).includes('"thinking":"'));
    expect(thoughts.map((value) => asString(value.uuid))).toHaveLength(5);
  });
});

describe('--keep and --drop', () => {
  const lines = [
    user('go'),
    assistant(toolUse('t1', 'Read', { file_path: '/src/a.ts' }), { id: 'm1' }),
    result('t1', LONG),
    assistant(toolUse('t2', 'Bash', { command: 'x' }), { id: 'm2' }),
    result('t2', LONG),
    assistant('done', { id: 'm3' }),
    ...turns(5),
  ];

  test('a kept call is whole in an old turn', () => {
    const { entries } = slimmed(read(lines), PRESETS.bare, { rules: { keep: ({ tool }) => tool === 'Read' } });
    expect(callsIn(entries)).toEqual(['t1']);
    expect(JSON.stringify(context(entries).messages)).toContain(LONG);
  });

  test('a dropped call goes from a kept turn, thinking with it; keep wins', () => {
    const rules = { keep: () => false, drop: ({ tool }: { readonly tool: string }) => tool === 'Bash' };
    const { entries, draft, report } = slimmed(read(lines), PRESETS.light, { rules });
    expectSound(draft);
    expect(callsIn(entries)).toEqual(['t1']);
    expect(report.removedCalls).toBe(6);
    expect(JSON.stringify(context(entries).messages)).not.toContain('thought');
    const both = slimmed(read(lines), PRESETS.light, { rules: { keep: () => true, drop: () => true } });
    expect(both.report.removedCalls).toBe(0);
  });

  test('a rule sees tool, input, size and time', () => {
    const seen: unknown[] = [];
    const keep = (call: { tool: string; input(): unknown; bytes: number; time?: string | undefined }) => {
      seen.push([call.tool, call.input(), call.bytes > LONG.length, call.time]);
      return false;
    };
    slimmed(read(lines), PRESETS.light, { rules: { keep } });
    expect(seen[0]).toEqual(['Read', { file_path: '/src/a.ts' }, true, '2026-01-02T10:00:01.000Z']);
  });
});

describe('S5, S6: what goes, what stays', () => {
  test('progress, queue and system lines go; what was typed while busy stays', () => {
    const lines = [
      ...turn(1),
      progress({ type: 'bash_progress' }),
      queueOperation('enqueue', 'later'),
      attachment('queued_command', { prompt: 'typed while busy', commandMode: 'prompt' }),
      attachment('date_change', { newDate: '2026-02-02' }),
      system('turn_duration', { durationMs: 5 }),
      ...turns(5),
    ];
    const { entries } = slimmed(read(lines), PRESETS.standard);
    const kinds = new Set(entries.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['user', 'assistant', 'attachment', 'custom-title', 'last-prompt']));
    expect(JSON.stringify(values(entries))).toContain('typed while busy');
    expect(JSON.stringify(values(entries))).not.toContain('2026-02-02');
  });

  test('C1: of what a compaction replaced only words stay, and it stays replaced', () => {
    const lines = [
      ...turns(2),
      system('compact_boundary', { parentUuid: null, compactMetadata: { trigger: 'auto' } }),
      user('summary of it', { isCompactSummary: true }),
      ...turn(3),
    ];
    const { entries, draft } = slimmed(read(lines), PRESETS.light);
    expectSound(draft);
    expect(JSON.stringify(values(entries))).toContain('answer 1');
    expect(callsIn(entries)).toEqual(['toolu_3']);
    expect(wordsSent(entries)).not.toContain('prompt 1');
    expect(wordsSent(entries)).toContain('summary of it');
  });

  test('C2: what a compaction preserved is sent after its summary', () => {
    const lines = chain([
      ...turn(1),
      system('compact_boundary', { parentUuid: null }),
      user('summary', { isCompactSummary: true }),
    ]);
    const kept = ['u4', 'u5'];
    const boundary = {
      ...lines[5],
      compactMetadata: { preservedMessages: { anchorUuid: 'u7', uuids: ['u1', 'u2', 'u3', ...kept] } },
    };
    const source = entriesOf([...lines.slice(0, 5), boundary, ...lines.slice(6)]);
    const { entries, draft } = slimmed(source, PRESETS.light);
    expectSound(draft);
    expect(context(entries).messages).toEqual(context(source).messages);
  });

  test('the copy gets one title and one pin of its own', () => {
    const once = slimmed(read([...turns(2), { type: 'custom-title', customTitle: 'Mine' }]), PRESETS.light);
    const twice = slimmed(once.entries, PRESETS.light, { from: CLONE_ID });
    for (const { entries } of [once, twice]) {
      expect(entries.filter(({ kind }) => kind === 'custom-title')).toHaveLength(1);
      expect(entries.filter(({ kind }) => kind === 'last-prompt')).toHaveLength(1);
    }
  });
});

describe('tokens', () => {
  const full = { input_tokens: 5, cache_read_input_tokens: 150_000, cache_creation_input_tokens: 0, output_tokens: 10 };
  const last = (entries: readonly Entry[]) => entries.findLast(({ kind }) => kind === 'assistant')?.head.message?.usage;
  const source = read([...turns(12), user('last'), assistant('end', { id: 'msg_end', usage: full })]);

  test('the context before is what was counted, what is left an estimate', () => {
    const { report } = slimmed(source, PRESETS.deep);
    expect(report.tokens).toMatchObject({ before: 150_015, recorded: true });
    const saved = report.before.toolResults - report.after.toolResults;
    expect(saved).toBeGreaterThan(25_000);
    expect(report.tokens.after).toBeLessThan(150_015 - saved);
  });

  test('the last answer counts less, so that no client takes the context for full', () => {
    const { entries, report } = slimmed(source, PRESETS.deep);
    const usage = last(entries);
    expect((usage?.input ?? 0) + (usage?.cacheRead ?? 0) + 10).toBe(report.tokens.after);
    expect(last(slimmed(source, { ...PRESETS.light, turns: 100 }).entries)).toEqual(last(source));
  });

  test('lines are made the same however often they are asked for', () => {
    const { draft } = slimmed(source, PRESETS.standard);
    expect(writtenBytes(draft)).toEqual(writtenBytes(draft));
  });
});
