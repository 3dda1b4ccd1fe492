/** Sessions of the fixtures with random damage: lines lost, doubled, moved and cut, parents and fields broken. */
import * as fc from 'fast-check';
import { asArray, asObject, isObject, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { listedCases, resumeCases } from './resume-cases.ts';

const SESSIONS: readonly (readonly string[])[] = [
  ...resumeCases(),
  ...listedCases('fuzz.jsonl'),
  ...listedCases('probes.jsonl'),
].map(({ input }) => input.split('\n').filter((line) => line !== ''));

/** Numbers that every kind of damage takes its choices from. */
type Choices = readonly [number, number, number];
type Damage = (lines: string[], at: number, choices: Choices) => void;

const FIELDS = ['uuid', 'parentUuid', 'timestamp', 'type', 'message', 'content', 'isSidechain', 'isMeta', 'requestId'];
const MESSAGE_FIELDS = ['id', 'role', 'model', 'content'];
const BLOCK_FIELDS = [
  'type',
  'id',
  'text',
  'tool_use_id',
  'content',
  'is_error',
  'source',
  'signature',
  'thinking',
  'name',
  'input',
];
const VALUES: readonly Json[] = [
  null,
  '',
  ' ',
  0,
  true,
  [],
  {},
  'x',
  [null, 1, 'x', {}],
  [{ type: 'text', text: '' }],
  'tool_use',
  'image',
  [{ type: 'text', text: ' ' }],
  [{ type: 'weird' }, { type: 'tool_use' }, { type: 'image' }],
];

const pick = <T>(list: readonly T[], choice: number): T | undefined => list[choice % Math.max(list.length, 1)];

function changed(line: string | undefined, change: (entry: JsonObject) => void): string {
  const entry = asObject(parseJson(line ?? ''));
  if (entry === undefined) return line ?? '';
  change(entry);
  return JSON.stringify(entry);
}

function setField(holder: JsonObject | undefined, field: string | undefined, value: Json | undefined): void {
  if (holder === undefined || field === undefined) return;
  if (value === undefined) delete holder[field];
  else holder[field] = value;
}

const uuidAt = (lines: readonly string[], choice: number): Json =>
  asObject(parseJson(pick(lines, choice) ?? ''))?.uuid ?? `missing-${choice}`;

const DAMAGES: readonly Damage[] = [
  (lines, at) => lines.splice(at, 1),
  (lines, at, [to]) => lines.splice(to % (lines.length + 1), 0, lines[at] ?? ''),
  (lines, at, [to]) => lines.splice(to % lines.length, 0, ...lines.splice(at, 1)),
  (lines, at, [length]) => lines.splice(at, 1, (lines[at] ?? '').slice(0, length % 200)),
  (lines, at, [to]) =>
    lines.splice(
      at,
      1,
      changed(lines[at], (entry) => setField(entry, 'parentUuid', uuidAt(lines, to))),
    ),
  (lines, at, [to]) =>
    lines.splice(
      at,
      1,
      changed(lines[at], (entry) => setField(entry, 'parentUuid', `missing-${to}`)),
    ),
  (lines, at) =>
    lines.splice(
      at,
      1,
      changed(lines[at], (entry) => setField(entry, 'parentUuid', entry.uuid)),
    ),
  (lines, at, [to]) =>
    lines.splice(
      at,
      1,
      changed(lines[at], (entry) => setField(entry, 'uuid', uuidAt(lines, to))),
    ),
  (lines, at, [field, value]) =>
    lines.splice(
      at,
      1,
      changed(lines[at], (entry) => setField(entry, pick(FIELDS, field), pick(VALUES, value))),
    ),
  (lines, at, [field, value]) =>
    lines.splice(
      at,
      1,
      changed(lines[at], (entry) =>
        setField(asObject(entry.message), pick(MESSAGE_FIELDS, field), pick(VALUES, value)),
      ),
    ),
  (lines, at, [field, value, block]) =>
    lines.splice(
      at,
      1,
      changed(lines[at], (entry) => {
        const blocks = (asArray(asObject(entry.message)?.content) ?? []).filter(isObject);
        setField(pick(blocks, block), pick(BLOCK_FIELDS, field), pick(VALUES, value));
      }),
    ),
  (lines, at, [to]) => lines.splice(at, 0, JSON.stringify({ type: 'last-prompt', leafUuid: uuidAt(lines, to) })),
  (lines, at, [to, last]) => lines.splice(at, 0, boundaryLine(uuidAt(lines, to), uuidAt(lines, last), at)),
];

function boundaryLine(kept: Json, anchor: Json, at: number): string {
  const compactMetadata = { preservedMessages: { anchorUuid: anchor, uuids: [kept] } };
  const uuid = `boundary-${at}`;
  return JSON.stringify({ type: 'system', subtype: 'compact_boundary', uuid, parentUuid: null, compactMetadata });
}

const choice = fc.nat(100_000);
const step = fc.tuple(fc.nat(DAMAGES.length - 1), choice, fc.tuple(choice, choice, choice));

/** A damaged transcript, sometimes of two sessions put together. */
export const damagedTranscript: fc.Arbitrary<string> = fc
  .tuple(choice, fc.option(choice, { freq: 4 }), fc.array(step, { minLength: 1, maxLength: 12 }))
  .map(([first, second, steps]) => {
    const lines = [...(pick(SESSIONS, first) ?? []), ...(second === null ? [] : (pick(SESSIONS, second) ?? []))];
    for (const [kind, at, choices] of steps) if (lines.length > 0) DAMAGES[kind]?.(lines, at % lines.length, choices);
    return lines.map((line) => `${line}\n`).join('');
  });
