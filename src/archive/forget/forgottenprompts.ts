/** The prompts of forgotten sessions in `history.jsonl` (L4): its lines name their session, those of old clients a project and a time. */
import { asObject, parseJson } from '../../format/json.ts';
import { sessionIdIn, toPrompt } from '../mount/history.ts';
import type { Database } from '../sqlite.ts';
import { allSpans, isWithin } from './forgottenspans.ts';
import { allTombstones } from './tombstones.ts';

/** When the session that a line belongs to was forgotten; undefined for all other lines. Where nothing was forgotten none is looked at. */
export function forgottenPrompts(db: Database): ((raw: Buffer) => string | undefined) | undefined {
  const stones = new Map(allTombstones(db).map(({ what, at }) => [what, at]));
  const spans = allSpans(db).filter(({ what }) => stones.has(what));
  if (![...stones.keys()].some((what) => what.startsWith('session:'))) return undefined;
  return (raw) => {
    const json = asObject(parseJson(raw.toString('utf8')));
    const session = sessionIdIn(json);
    if (session !== undefined) return stones.get(`session:${session}`);
    const { project, time } = toPrompt(json) ?? {};
    const span = spans.find((each) => isWithin(each, project, time));
    return span && stones.get(span.what);
  };
}
