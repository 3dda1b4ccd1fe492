/** A summary of old turns by a model, in the words and with the limits of a compaction in `skein chat`. */
import { randomUUID } from 'node:crypto';
import type { Spoken } from '../../agent/compact/render.ts';
import { oldTurns } from '../../edit/compress/compress.ts';
import { rawContentOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asArray, isObject } from '../../format/json.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import type { EditSource } from './source.ts';

/** Undefined when no model is named, or nothing is older than what is kept. Throws CommandError. */
export async function modelSummary(
  context: Context,
  model: string | undefined,
  { file, entries }: EditSource,
  keep: number,
): Promise<string | undefined> {
  if (model === undefined) return undefined;
  const now = context.now().toISOString();
  const turns = oldTurns(entries, { keep, from: file.sessionId, freshUuid: randomUUID, now });
  const messages = turns.flatMap((turn) => turn.entries.flatMap(spokenIn));
  if (messages.length === 0) return undefined;
  const { createModel } = await import('../../agent/model/anthropic.ts');
  const { modelId } = await import('../../agent/model/models.ts');
  const { summarize } = await import('../../agent/compact/summarize.ts');
  const { ask } = createModel({ env: context.env });
  const summary = await summarize({ ask, model: modelId(model), messages, signal: context.signal });
  if (summary.kind === 'done') return summary.text;
  const why = summary.kind === 'aborted' ? 'it was interrupted' : summary.failure.message;
  const next = 'Try again, or leave out --model for a summary without one.';
  throw new CommandError(`The model gave no summary (${why}); nothing was written.`, file.file, next);
}

function spokenIn(entry: Entry): Spoken[] {
  if (entry.kind !== 'user' && entry.kind !== 'assistant') return [];
  const content = rawContentOf(jsonOf(entry) ?? {});
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (asArray(content) ?? []).filter(isObject);
  return [{ role: entry.kind, content: blocks }];
}
