/** What tool calls were about, as the index knows it. */
import type { PartLabels } from '../../views/search/filter.ts';
import { type Database, get, maybeText } from '../sqlite.ts';
import { keptLabels } from './calls.ts';
import type { Holder } from './holder.ts';

/** For what stands at the end of a transcript. */
export function callIn(db: Database, call: string, holder: Holder): PartLabels | undefined {
  const labels = keptLabels(db, { call, piece: Number.MAX_SAFE_INTEGER, holder });
  return labels && { tool: textOfLabel(db, labels.tool), file: textOfLabel(db, labels.file) };
}

function textOfLabel(db: Database, id: number | null): string | undefined {
  return maybeText(get(db, 'SELECT text FROM label WHERE id = ?', id), 'text');
}
