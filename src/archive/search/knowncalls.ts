/** What tool calls were about, as the index knows it. */
import type { PartLabels } from '../../views/search/filter.ts';
import { type Database, get, maybeText } from '../sqlite.ts';

const CALL = `SELECT tool.text AS tool, file.text AS file FROM call
  LEFT JOIN label AS tool ON tool.id = call.tool LEFT JOIN label AS file ON file.id = call.file WHERE call.id = ?`;

export function callIn(db: Database, id: string): PartLabels | undefined {
  const row = get(db, CALL, id);
  return row && { tool: maybeText(row, 'tool'), file: maybeText(row, 'file') };
}
