/** Whole sessions of every size of result, input and answer, with images, thinking, attachments, compactions and open ends. */
import * as fc from 'fast-check';
import type { JsonObject } from '../../src/format/json.ts';
import {
  assistant,
  attachment,
  chain,
  image,
  result,
  system,
  text,
  thinking,
  toJsonl,
  toolUse,
  user,
} from './build.ts';

const LENGTHS = [0, 3, 90, 500, 900, 4100, 12_000];
const TOOLS = ['Bash', 'Read', 'Edit', 'mcp__x__y'];

interface Call {
  readonly tool: number;
  readonly input: number;
  readonly result: number;
  readonly shape: 'text' | 'parts' | 'image' | 'none';
}
interface Step {
  readonly thinks: boolean;
  readonly says: number;
  readonly calls: readonly Call[];
  readonly aside: 'none' | 'attachment' | 'system';
}
interface Round {
  readonly prompt: 'text' | 'image' | 'queued';
  readonly steps: readonly Step[];
  readonly end: 'answer' | 'open' | 'interrupted' | 'compaction';
}

const length = fc.constantFrom(...LENGTHS);
const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.nat(TOOLS.length - 1),
  input: length,
  result: length,
  shape: fc.constantFrom('text', 'text', 'parts', 'image', 'none'),
});
const step: fc.Arbitrary<Step> = fc.record({
  thinks: fc.boolean(),
  says: length,
  calls: fc.array(call, { maxLength: 3 }),
  aside: fc.constantFrom('none', 'none', 'attachment', 'system'),
});
const round: fc.Arbitrary<Round> = fc.record({
  prompt: fc.constantFrom('text', 'text', 'text', 'image', 'queued'),
  steps: fc.array(step, { maxLength: 4 }),
  end: fc.constantFrom('answer', 'answer', 'answer', 'open', 'interrupted', 'compaction'),
});

/** A transcript that a client could have written. */
export const generatedTranscript: fc.Arbitrary<string> = fc
  .array(round, { minLength: 1, maxLength: 14 })
  .map((rounds) => toJsonl(chain(linesOf(rounds))));

function linesOf(rounds: readonly Round[]): JsonObject[] {
  const lines: JsonObject[] = [];
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  const words = (size: number, what: string) => `${what}-${next()} `.padEnd(size, `${what} `);
  for (const [at, { prompt, steps, end }] of rounds.entries()) {
    lines.push(promptLine(prompt, words(40, 'prompt')));
    for (const each of steps) {
      const id = `msg_${next()}`;
      if (each.thinks) lines.push(assistant(thinking(words(200, 'thought')), { id }));
      if (each.says > 0) lines.push(assistant(text(words(each.says, 'answer')), { id }));
      const calls = each.calls.map((made) => ({ made, id: `toolu_${next()}` }));
      for (const { made, id: use } of calls) {
        const input = { file_path: `/src/${use}.ts`, content: words(made.input, 'input') };
        lines.push(assistant(toolUse(use, TOOLS[made.tool], input), { id, stop: 'tool_use' }));
      }
      if (each.aside === 'attachment') lines.push(attachment('date_change', { newDate: '2026-01-02' }));
      if (each.aside === 'system') lines.push(system('turn_duration', { durationMs: 5 }));
      const isLast = at === rounds.length - 1 && each === steps.at(-1) && end === 'open';
      for (const { made, id: use } of isLast ? calls.slice(1) : calls) lines.push(resultLine(use, made, words));
    }
    if (end === 'answer') lines.push(assistant(words(60, 'done'), { id: `msg_${next()}` }));
    if (end === 'interrupted') lines.push(user([text('[Request interrupted by user]')]));
    if (end === 'compaction') lines.push(...compaction(words(80, 'summary')));
  }
  return lines;
}

function promptLine(kind: Round['prompt'], said: string): JsonObject {
  if (kind === 'image') return user([text(said), image()]);
  return kind === 'queued' ? attachment('queued_command', { prompt: said, commandMode: 'prompt' }) : user(said);
}

function resultLine(
  id: string,
  { result: size, shape }: Call,
  words: (size: number, what: string) => string,
): JsonObject {
  const said = words(size, 'result');
  const record = { toolUseResult: { stdout: said, interrupted: false } };
  if (shape === 'none') return result(id, '');
  if (shape === 'text') return result(id, said, record);
  return result(id, shape === 'parts' ? [text(said), text('end')] : [text(said), image()], record);
}

function compaction(summary: string): JsonObject[] {
  return [
    system('compact_boundary', { parentUuid: null, compactMetadata: { trigger: 'manual', preTokens: 100 } }),
    user(summary, { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
  ];
}
