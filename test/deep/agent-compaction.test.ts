/** What outlives compactions: 200 turns over many files, with summaries that say nothing. Counted by the model itself. */
import { expect, test } from 'vitest';
import { asArray, isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { talkWith } from '../agent/talkwith.ts';
import { linesOf, wrongIn } from '../agent/world.ts';
import { transcriptsBelow } from '../support/files.ts';
import { type Reply, type ScriptedRequest, says, tooLong, toolUse } from '../support/scripted-model.ts';

const TURNS = 200;
/** After so many turns the session is opened anew. */
const SITTING = 40;
const WINDOW = 60_000;
const USELESS = 'The weather was nice and everybody was content.';

/** Some that a list could stumble over. */
const NAMES = ['plain', 'with space', 'ünïcode', '- dashed', 'src/deep/er'];
const fileOf = (turn: number) => `made/${NAMES[turn % NAMES.length]}-${turn}.ts`;
const requestOf = (turn: number) =>
  `Request ${turn}: do "this" exactly,\n- and that\n\nOpen todos:\n- [pending] of nobody ${turn}`;
const todosOf = (turn: number) =>
  ['completed', 'in_progress', 'pending', 'pending'].map((status, i) => ({
    content: `Todo ${turn}.${i}: something`,
    status,
    activeForm: 'Doing something',
  }));

test('every file, the open todos and the request are sent at every request, below the window', async () => {
  const touched = new Set<string>();
  const called = new Set<number>();
  const missing: string[] = [];
  let open: string[] = [];
  let [afterCompaction, most] = [0, 0];

  /** Gives the turn that it is in. */
  const look = (messages: ScriptedRequest['messages']): number => {
    const words = messages.flatMap(({ content }) => content.flatMap(stringsIn)).join('\n');
    if (words.includes('This session is being continued')) afterCompaction += 1;
    const turn = Math.max(...[...words.matchAll(/Request (\d+):/g)].map(([, number]) => Number(number)));
    const wanted = [...touched, ...open, requestOf(turn)];
    missing.push(...wanted.filter((each) => !words.includes(each)).map((each) => `turn ${turn}: ${each}`));
    return turn;
  };

  const callsOf = (turn: number): JsonObject[] => {
    const made = [toolUse('Write', { file_path: fileOf(turn), content: `line ${turn}\n`.repeat(20) })];
    touched.add(fileOf(turn));
    if (turn % 3 === 0) made.push(toolUse('Read', { file_path: 'long.txt' }));
    if (turn % 5 === 1) {
      made.push(toolUse('Read', { file_path: `missing-${turn}.ts` }));
      touched.add(`missing-${turn}.ts`);
    }
    if (turn === 4) {
      made.push(toolUse('NotebookEdit', { notebook_path: 'book.ipynb', new_source: 'x', edit_mode: 'insert' }));
      touched.add('book.ipynb');
    }
    if (turn % 7 === 0) {
      const todos = todosOf(turn);
      open = todos.flatMap(({ content, status }) => (status === 'completed' ? [] : [content]));
      made.push(toolUse('TodoWrite', { todos }));
    }
    return made;
  };

  const script = ({ body, messages }: ScriptedRequest): Reply => {
    const tokens = Math.round(JSON.stringify(body).length / 4);
    const counted = { usage: { input_tokens: tokens, output_tokens: 20 } };
    most = Math.max(most, tokens);
    if (tokens > WINDOW) return tooLong();
    if ((asArray(body.tools) ?? []).length === 0) return says(USELESS, counted);
    const turn = look(messages);
    if (called.has(turn)) return says(`Done ${turn}.`, counted);
    called.add(turn);
    return says(callsOf(turn), counted);
  };

  const it = await talkWith(script, {
    '~/.claude/settings.json': { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(WINDOW) } },
    'CLAUDE.md': 'MEMORY OF THE PROJECT',
    'long.txt': `${'many words in a long line of a file. '.repeat(3)}\n`.repeat(250),
    'book.ipynb': { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 },
  });
  for (let from = 0; from < TURNS; from += SITTING) {
    const turns = Array.from({ length: SITTING }, (_, i) => from + i);
    const ends = await it.sayAll(turns.map(requestOf), 'bypassPermissions');
    expect(ends.map(({ reason, text }) => `${reason} ${text}`)).toEqual(turns.map((turn) => `end_turn Done ${turn}.`));
  }
  const [file = ''] = transcriptsBelow(`${it.home}/.claude/projects`);
  const boundaries = linesOf(file).filter(({ subtype }) => subtype === 'compact_boundary');
  expect(boundaries.length).toBeGreaterThanOrEqual(3);
  expect(afterCompaction).toBeGreaterThan(TURNS);
  expect(missing).toEqual([]);
  expect(touched.size).toBeGreaterThan(TURNS);
  // It is compacted from half of this window on; what one turn brings may come on top.
  expect(most).toBeLessThan(WINDOW * 0.6);
  expect(wrongIn(file)).toEqual([]);
  expect(it.model.requests.filter(({ refused }) => refused !== undefined)).toEqual([]);
  expect(JSON.stringify(it.model.requests.at(-1)?.body.system)).toContain('MEMORY OF THE PROJECT');
}, 180_000);

function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.values(value).flatMap((each) => (each === undefined ? [] : stringsIn(each))) : [];
}
