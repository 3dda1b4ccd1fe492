/** What `skein chat -p` prints against what the published client prints for the same turn. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asObject, isObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { chatWith } from '../support/chat.ts';
import { says } from '../support/scripted-model.ts';
import { NEWEST } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

let judge: Judge;
beforeAll(async () => {
  judge = await createJudge(NEWEST);
});
afterAll(() => judge.close());

const ARGS = ['-p', 'hi', '--include-partial-messages'];
/** Ours alone: who wrote it. */
const OWN = new Set(['client']);

function jsonLines(text: string): JsonObject[] {
  return text
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject);
}

/** What kind of message it is; an event of the model by its own kind. */
function nameOf({ type, subtype, event }: JsonObject): string {
  return [type, subtype, asObject(event)?.type].filter((part) => typeof part === 'string').join('/');
}

/** In order, without repetitions; how far a request is, only they tell, and pings are the server's. */
function sequence(lines: readonly JsonObject[]): string[] {
  const names = lines.map(nameOf).filter((name) => name !== 'system/status' && name !== 'stream_event/ping');
  return names.filter((name, i) => name !== names[i - 1]);
}

test('the same messages in the same order, with fields that they have too', async () => {
  const theirs = jsonLines((await judge.start(ARGS)).stdout);
  const chat = await chatWith([says('ok')]);
  const { lines: ours } = await chat.run([...ARGS, '--output-format', 'stream-json', '--verbose']);
  expect(sequence(ours)).toEqual(sequence(theirs));
  for (const line of ours) {
    const same = theirs.find((each) => nameOf(each) === nameOf(line)) ?? {};
    const unknown = Object.keys(line).filter((key) => !(key in same) && !OWN.has(key));
    expect(unknown, nameOf(line)).toEqual([]);
    for (const [key, value] of Object.entries(line)) {
      if (key in same && value !== null && same[key] !== null) {
        expect(typeof same[key], `${nameOf(line)}.${key}`).toBe(typeof value);
      }
    }
  }
  const [result = {}, their = {}] = [ours, theirs].map((lines) => asObject(lines.at(-1)));
  for (const key of [
    'subtype',
    'is_error',
    'num_turns',
    'stop_reason',
    'terminal_reason',
    'result',
    'api_error_status',
  ]) {
    expect(result[key], key).toEqual(their[key]);
  }
});
