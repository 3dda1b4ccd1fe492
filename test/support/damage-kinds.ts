/** Kinds of damage by name: a small sound session, and what is done to its lines. For repair, and for the client as its judge. */
import { asArray, asObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { assistant, chain, result, text, thinking, toolUse, user } from './build.ts';

/** Lines are objects, or text as it stands in the file. */
export type Lines = (JsonObject | string)[];

export interface Damage {
  readonly name: string;
  readonly rule: string;
  readonly do: (lines: Lines) => void;
  /** What a resume of the repaired session must still say, besides all prompts. */
  readonly keeps?: readonly string[];
}

export const DAMAGED_SESSION = '11111111-2222-4333-8444-555555555555';

export function uuidAt(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

const MODEL = 'claude-opus-4-5-20251101';

/** Three turns; the second makes two parallel calls after thinking. Line 1 is the first prompt. */
export function soundLines(cwd: string): JsonObject[] {
  const lines = chain(
    [
      user('prompt one'),
      assistant('answer one', { id: 'msg_1', model: MODEL }),
      user('prompt two'),
      assistant(thinking('thought two', 'SIGNATURE'), { id: 'msg_2', model: MODEL, stop: 'tool_use' }),
      assistant(toolUse('toolu_1', 'Bash', { command: 'ls' }), { id: 'msg_2', model: MODEL, stop: 'tool_use' }),
      assistant(toolUse('toolu_2', 'Read', { file_path: '/a' }), { id: 'msg_2', model: MODEL, stop: 'tool_use' }),
      result('toolu_1', 'output one'),
      result('toolu_2', 'output two'),
      assistant('answer two', { id: 'msg_3', model: MODEL }),
      user('prompt three'),
      assistant('answer three', { id: 'msg_4', model: MODEL }),
    ],
    { sessionId: DAMAGED_SESSION, cwd, userType: 'external', gitBranch: '', entrypoint: 'cli' },
  );
  return lines.map((line, index) => ({
    ...line,
    uuid: uuidAt(index + 1),
    parentUuid: index === 0 ? null : uuidAt(index),
  }));
}

export function transcriptOf(lines: Lines): string {
  return lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)).join('');
}

export function damaged(damage: Damage, cwd = '/work/app'): string {
  const lines: Lines = soundLines(cwd);
  damage.do(lines);
  return transcriptOf(lines);
}

const set = (number: number, fields: JsonObject) => (lines: Lines) => {
  const line = lines[number - 1];
  if (typeof line === 'object') lines[number - 1] = { ...line, ...fields };
};
const without = (number: number, field: string) => (lines: Lines) => {
  const line = lines[number - 1];
  if (typeof line !== 'object') return;
  const { [field]: _, ...rest } = line;
  lines[number - 1] = rest;
};
const content = (number: number, blocks: Json) => (lines: Lines) => {
  const line = lines[number - 1];
  if (typeof line === 'object')
    lines[number - 1] = { ...line, message: { ...asObject(line.message), content: blocks } };
};
const block = (number: number, fields: JsonObject) => (lines: Lines) => {
  const line = lines[number - 1];
  const [first] = asArray(asObject(typeof line === 'object' ? line.message : undefined)?.content) ?? [];
  content(number, [{ ...asObject(first), ...fields }])(lines);
};
const remove = (number: number) => (lines: Lines) => void lines.splice(number - 1, 1);
const relinked = (number: number) => (lines: Lines) => {
  remove(number)(lines);
  set(number, { parentUuid: uuidAt(number - 1) })(lines);
};
const texts = (number: number, change: (line: string) => string) => (lines: Lines) => {
  lines[number - 1] = change(`${JSON.stringify(lines[number - 1])}\n`);
};

const ALL = ['answer one', 'answer two', 'answer three'];

export const DAMAGES: readonly Damage[] = [
  { name: 'a tool_result is missing', rule: 'A1', do: relinked(7), keeps: ALL },
  { name: 'a tool_use is missing', rule: 'A2', do: relinked(5), keeps: [...ALL, 'output one'] },
  { name: 'a result stands after the next answer', rule: 'A1', do: (lines) => moveBehind(lines, 7, 9), keeps: ALL },
  { name: 'a tool id is used twice', rule: 'A3', do: useTwice, keeps: ALL },
  { name: 'a result is there twice', rule: 'E5', do: (lines) => repeatAs(lines, 7, 12), keeps: ALL },
  { name: 'an empty text block', rule: 'A4', do: content(2, [text(''), text('answer one')]), keeps: ALL },
  { name: 'an answer of whitespace', rule: 'A4', do: content(9, [text(' \n')]), keeps: ['answer one', 'answer three'] },
  { name: 'a user entry with empty content', rule: 'A4', do: content(10, []) },
  { name: 'thinking without a signature', rule: 'A5', do: block(4, { signature: '' }), keeps: ALL },
  {
    name: 'thinking whose signature was cut',
    rule: 'A5',
    do: block(4, { signature: `${'Ab1/'.repeat(40)}…` }),
    keeps: ALL,
  },
  { name: 'redacted thinking without data', rule: 'A5', do: content(4, [{ type: 'redacted_thinking' }]), keeps: ALL },
  { name: 'a tool name over 200 characters', rule: 'A7', do: block(5, { name: 'n'.repeat(300) }), keeps: ALL },
  { name: 'a tool input that is no object', rule: 'A4', do: block(5, { input: 'ls' }), keeps: ALL },
  {
    name: 'an image without a source',
    rule: 'A4',
    do: content(10, [text('prompt three'), { type: 'image' }]),
    keeps: ALL,
  },
  { name: 'the first prompt is missing', rule: 'A8', do: remove(1), keeps: ALL },
  { name: 'a parent that was never written', rule: 'E12', do: set(10, { parentUuid: uuidAt(99) }), keeps: ALL },
  { name: 'an answer without a parent in the middle', rule: 'W2', do: set(9, { parentUuid: null }), keeps: ALL },
  { name: 'a prompt without a parent in the middle', rule: 'W2', do: set(10, { parentUuid: null }), keeps: ALL },
  { name: 'a parent that is missing from the line', rule: 'W2', do: without(9, 'parentUuid'), keeps: ALL },
  { name: 'an entry that is its own parent', rule: 'E12', do: set(9, { parentUuid: uuidAt(9) }), keeps: ALL },
  { name: 'parents in a circle', rule: 'E12', do: set(3, { parentUuid: uuidAt(9) }), keeps: ALL },
  { name: 'a uuid used for two entries', rule: 'E12', do: set(9, { uuid: uuidAt(2) }), keeps: ALL },
  { name: 'an entry without a uuid', rule: 'E2', do: without(9, 'uuid'), keeps: ALL },
  {
    name: 'a parent of unknown type',
    rule: 'R6',
    do: set(9, { type: 'made-up' }),
    keeps: ['answer one', 'answer three'],
  },
  { name: 'a line that is torn in the middle', rule: 'E1', do: texts(9, (line) => `${line.slice(0, 80)}\n`) },
  {
    name: 'a torn last line',
    rule: 'E1',
    do: texts(11, (line) => line.slice(0, 80)),
    keeps: ['answer one', 'answer two'],
  },
  { name: 'two entries on one line', rule: 'E1', do: texts(9, (line) => line.trimEnd()), keeps: ALL },
  {
    name: 'an entry behind a torn one on its line',
    rule: 'E1',
    do: (lines) => void lines.splice(8, 0, '{"type":"assis'),
    keeps: ALL,
  },
  { name: 'a line that is not JSON', rule: 'E1', do: (lines) => void lines.splice(8, 0, 'garbage\n'), keeps: ALL },
  { name: 'a stale last-prompt', rule: 'R4', do: stalePin, keeps: ALL },
  {
    name: 'no timestamps',
    rule: 'W1',
    do: (lines) => {
      for (const at of lines.keys()) without(at + 1, 'timestamp')(lines);
    },
    keeps: ALL,
  },
  { name: 'a timestamp that is none', rule: 'W1', do: set(9, { timestamp: 'yesterday' }), keeps: ALL },
  { name: 'no type, only a role', rule: 'W1', do: without(9, 'type'), keeps: ALL },
];

function moveBehind(lines: Lines, number: number, behind: number): void {
  const [line] = lines.splice(number - 1, 1);
  if (line === undefined) return;
  set(number, { parentUuid: uuidAt(number - 1) })(lines);
  lines.splice(behind - 1, 0, line);
  set(behind, { parentUuid: uuidAt(9) })(lines);
  set(behind + 1, { parentUuid: uuidAt(number) })(lines);
}

/** The last answer makes the first call once more, with a result of its own. */
function useTwice(lines: Lines): void {
  const [use, answered] = [lines[4], lines[6]].map(
    (line) => asObject(typeof line === 'object' ? line : undefined) ?? {},
  );
  const message = { ...asObject(use?.message), id: 'msg_5' };
  lines.push({ ...use, message, uuid: uuidAt(12), parentUuid: uuidAt(11) });
  lines.push({ ...answered, uuid: uuidAt(13), parentUuid: uuidAt(12), sourceToolAssistantUUID: uuidAt(12) });
  lines.push({
    ...use,
    message: { ...message, id: 'msg_6', content: [text('answer four')] },
    uuid: uuidAt(14),
    parentUuid: uuidAt(13),
  });
}

function repeatAs(lines: Lines, number: number, uuid: number): void {
  const line = lines[number - 1];
  if (typeof line !== 'object') return;
  lines.splice(8, 0, { ...line, uuid: uuidAt(uuid), parentUuid: uuidAt(8) });
  set(10, { parentUuid: uuidAt(uuid) })(lines);
}

/** What was said after the first turn hangs on another branch than the one that is pinned. */
function stalePin(lines: Lines): void {
  const branch: JsonObject = {
    ...asObject(typeof lines[1] === 'object' ? lines[1] : undefined),
    uuid: uuidAt(20),
    parentUuid: uuidAt(1),
  };
  lines.splice(2, 0, branch, { type: 'last-prompt', leafUuid: uuidAt(20), sessionId: DAMAGED_SESSION });
}
