/** Compacting: what was said becomes a summary, and the conversation goes on from there. Nothing changes unless it works. */
import type { JsonObject } from '../../format/json.ts';
import type { ApiFailure, HookAnswer } from '../ports.ts';
import { addTime, addUsed } from '../turn/tally.ts';
import { type Turn, wrote } from '../turn/turn.ts';
import { factsIn } from './facts.ts';
import { roughly } from './meter.ts';
import { summarize } from './summarize.ts';
import { summaryText } from './words.ts';

export interface CompactOptions {
  readonly trigger: 'manual' | 'auto';
  /** What the person wants of the summary. */
  readonly instructions?: string;
  /** The last request, word by word. */
  readonly asked: string;
  /** The prompts of the turn that waits for it. */
  readonly running?: readonly string[];
}

export type Compacted =
  /** `after`: lines that hooks leave, for the chain. */
  | {
      readonly kind: 'done';
      readonly preTokens: number;
      readonly postTokens: number;
      readonly after: readonly JsonObject[];
    }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'blocked'; readonly why: string }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'aborted' };

export async function compact(turn: Turn, options: CompactOptions): Promise<Compacted> {
  const { transcript, model, meter, signal } = turn;
  const { trigger, asked, running } = options;
  const messages = transcript.messages(turn.ask.model);
  if (!messages.some(({ role }) => role === 'assistant')) return { kind: 'nothing' };
  turn.emit({ kind: 'compacting', trigger });
  const leave = <T extends Compacted>(made: T, error: string): T => {
    turn.emit({ kind: 'compacted', error });
    return made;
  };
  const fields = { trigger, custom_instructions: options.instructions ?? null };
  const { block, stop, context = [] } = await hooksOf(turn, 'PreCompact', fields);
  const why = block ?? stop;
  if (why !== undefined) return leave({ kind: 'blocked', why }, why);
  const clock = turn.now ?? (() => performance.now());
  const began = clock();
  const instructions = [options.instructions ?? '', ...context].filter((each) => each.trim() !== '').join('\n');
  const summary = await summarize({
    ask: model.ask.bind(model),
    model: turn.ask.model,
    messages,
    ...(instructions !== '' && { instructions }),
    signal,
  });
  const durationMs = Math.round(clock() - began);
  addTime(turn.tally, durationMs);
  if (summary.kind === 'aborted') return leave(summary, 'interrupted');
  if (summary.kind === 'failed') return leave(summary, summary.failure.message);
  addUsed(turn.tally, summary.model, summary.usage, (name, used) => model.cost(name, used));
  const facts = factsIn(messages);
  const isRunning = running !== undefined;
  const text = summaryText({ summary: summary.text, facts, file: transcript.file, asked, isRunning });
  const preTokens = meter.measure(messages).tokens;
  const postTokens = roughly([{ role: 'user', content: [{ type: 'text', text }] }]);
  turn.emit({ kind: 'compacted' });
  const about = { trigger, preTokens, postTokens, durationMs };
  for (const line of transcript.compact({ ...about, summary: text, ...(running && { running }) })) wrote(turn, line);
  meter.compacted();
  const { entries: after = [] } = await hooksOf(turn, 'SessionStart', { source: 'compact', model: turn.ask.model });
  await hooksOf(turn, 'PostCompact', { trigger, compact_summary: summary.text });
  return { kind: 'done', preTokens, postTokens, after };
}

async function hooksOf(turn: Turn, event: string, fields: JsonObject): Promise<HookAnswer> {
  return (await turn.hooks?.run(event, fields, turn.signal)) ?? {};
}
