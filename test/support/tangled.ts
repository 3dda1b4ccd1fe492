/** Sessions of parallel calls with notes everywhere: lines that hang on any line before, results late and among the lines of their message. */
import * as fc from 'fast-check';
import type { JsonObject } from '../../src/format/json.ts';
import { apiError, assistant, attachment, pin, result, system, thinking, transcript, use, user } from './transcript.ts';

interface Step {
  readonly kind: 'say' | 'think' | 'call' | 'answer' | 'note' | 'aside' | 'meta' | 'type' | 'fail' | 'pin';
  /** Of lines of an answer: a message of its own begins. */
  readonly begins: boolean;
  /** It hangs on a line further up, instead of on the one before. */
  readonly up: number | null;
  /** The next line hangs on it. */
  readonly leads: boolean;
  readonly side: boolean;
  readonly choice: number;
}

/** In ten steps about two are answers, two calls, two results and two notes. */
const KINDS: readonly Step['kind'][] = [
  ...(['say', 'say', 'think', 'call', 'call', 'call', 'answer', 'answer', 'answer', 'answer'] as const),
  ...(['note', 'note', 'aside', 'aside', 'meta', 'type', 'fail', 'pin'] as const),
];
const ASIDES = ['informational', 'turn_duration', 'local_command', 'api_error'];

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  begins: fc.boolean(),
  up: fc.option(fc.nat(40), { freq: 4 }),
  leads: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  side: fc.integer({ min: 0, max: 40 }).map((n) => n === 0),
  choice: fc.nat(1000),
});

export const tangledTranscript: fc.Arbitrary<string> = fc
  .array(step, { minLength: 2, maxLength: 30 })
  .map((steps) => transcript(linesOf(steps)));

function linesOf(steps: readonly Step[]): JsonObject[] {
  const lines = [user(1, null, 'Q1')];
  const open: string[] = [];
  let message = 1;
  let last = 1;
  for (const [at, { kind, begins, up, leads, side, choice }] of steps.entries()) {
    const n = at + 2;
    const parent = up === null ? last : Math.max(1, n - 1 - up);
    const rest = side ? { isSidechain: true } : {};
    if (kind === 'pin') {
      lines.push(pin(parent));
      continue;
    }
    if (begins && (kind === 'say' || kind === 'call')) message += 1;
    const line = (): JsonObject => {
      if (kind === 'think') return assistant(n, parent, `m${message}`, [thinking(`thought ${n}`)], rest);
      if (kind === 'call') {
        open.push(`t${n}`);
        return assistant(n, parent, `m${message}`, [use(`t${n}`)], rest);
      }
      const [answered] = kind === 'answer' ? open.splice(choice % Math.max(open.length, 1), 1) : [];
      if (answered !== undefined) return user(n, parent, [result(answered)], rest);
      if (kind === 'note' || kind === 'answer') return attachment(n, parent, `note ${n}`, rest);
      if (kind === 'aside') {
        return system(n, parent, ASIDES[choice % ASIDES.length] ?? '', { content: `aside ${n}`, ...rest });
      }
      if (kind === 'meta') return user(n, parent, `meta ${n}`, { isMeta: true, ...rest });
      if (kind === 'type') return user(n, parent, `typed ${n}`, rest);
      return kind === 'fail' ? apiError(n, parent) : assistant(n, parent, `m${message}`, `answer ${n}`, rest);
    };
    lines.push(line());
    if (leads) last = n;
  }
  return lines;
}
