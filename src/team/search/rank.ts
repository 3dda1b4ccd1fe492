/** How well a row fits, as the archive's index has it (bm25 of FTS5), and newer before older. */
import { asNumber } from '../../format/json.ts';
import type { Team } from '../connect.ts';
import { countOf, indexConditions, type Phrase, textConditions } from './phrases.ts';
import { createValues, type Values } from './values.ts';

export interface Rank {
  /** One for each phrase, over `messages`: how often it stands there. */
  readonly counts: readonly string[];
  /** Over `count0`… and `length`. Smaller is better. */
  readonly score: string;
}

const K1 = 1.2;
const B = 0.75;
/** Rows that are looked at for how long texts are and how many are copies. */
const SAMPLE = 1_000_000;
/** Phrases that are counted with one question. */
const MOST_COUNTED = 16;
/** Words that most rows have still count a little. */
const LEAST_WEIGHT = 1e-6;

/**
 * Copies count once, as in the archive. These are weights: rows that wait to be merged make no difference worth reading all keys
 * for (FINAL).
 */
const SIZES = `SELECT (SELECT count() FROM messages) AS all, count() AS entries, sum(words) AS words FROM (
  SELECT any(length) AS words FROM (SELECT identity, place, length FROM messages LIMIT ${SAMPLE}) GROUP BY identity, place
)`;

export async function rankOf(team: Team, phrases: readonly Phrase[], values: Values): Promise<Rank> {
  if (phrases.length === 0) return { counts: [], score: '0.' };
  const [[sizes], weights] = await Promise.all([team.rows(SIZES), weightsOf(team, phrases)]);
  const [all, entries, words] = [sizes?.all, sizes?.entries, sizes?.words].map((each) => asNumber(each) ?? 0);
  const rows = ((entries ?? 0) * Math.max(all ?? 0, 1)) / Math.min(Math.max(all ?? 0, 1), SAMPLE);
  const mean = entries && words ? words / entries : 1;
  const parts = weights.map((found, place) => {
    // Of one phrase alone the weight is the same for all rows.
    const weight =
      found === undefined ? 1 : Math.max(Math.log((rows - found + 0.5) / (found + 0.5)) || 0, LEAST_WEIGHT);
    const count = `count${place}`;
    const long = `${K1} * (${1 - B} + ${B} * length / ${values.add('Float64', mean)})`;
    return `${values.add('Float64', weight)} * ${count} * ${K1 + 1} / (${count} + ${long})`;
  });
  return {
    counts: phrases.map((phrase, place) => `${countOf(phrase, values)} AS count${place}`),
    score: `-(${parts.join(' + ')})`,
  };
}

/** In how many entries each stands. */
async function weightsOf(team: Team, phrases: readonly Phrase[]): Promise<(number | undefined)[]> {
  if (phrases.length < 2) return phrases.map(() => undefined);
  const weights: number[] = [];
  // One question at a time, whatever was pasted: each is work for all cores of the server.
  for (let from = 0; from < phrases.length; from += MOST_COUNTED) {
    const values = createValues();
    const counts = phrases.slice(from, from + MOST_COUNTED).map((phrase, place) => {
      const only = { wanted: [phrase], unwanted: [] };
      const where = [...indexConditions(only, values), ...textConditions(only, values)].join(' AND ');
      return `SELECT ${from + place} AS phrase, uniqExact(identity, place) AS found FROM messages WHERE ${where}`;
    });
    const rows = await team.rows(counts.join(' UNION ALL '), values.params);
    for (const { phrase, found } of rows) weights[asNumber(phrase) ?? 0] = asNumber(found) ?? 0;
  }
  return phrases.map((_phrase, place) => weights[place] ?? 0);
}

const MONTH = 2_592_000_000;

/** What is older than a month counts up to half as much. */
export function byRank(now: number, values: Values): string {
  const age = `greatest(0, ${values.add('Int64', now)} - at)`;
  return `score * (1 + 1 / (1 + ${age} / ${MONTH})), ${BY_TIME}`;
}

/** Newest first; what tells no time last. */
export const BY_TIME = 'timed DESC, at DESC, mtime DESC, session DESC, name DESC, n DESC, place DESC';
