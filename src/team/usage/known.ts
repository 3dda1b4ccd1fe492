/** What a team knows of the usage of single files, for code that folds the messages itself. */
import type { FileUsage } from '../../disk/usage.ts';
import { asNumber, asString, type JsonObject } from '../../format/json.ts';
import type { Known } from '../../store/store.ts';
import type { Ask, Place, Places } from '../read/ask.ts';
import { tierOf } from '../tier.ts';

const COLUMNS = `session, name, message, request, project, agent, branch, model, tier, timed, ended, sidechain, copy, fork, start,
  toUnixTimestamp64Milli(time) AS ms, input, output, cache_creation, cache_read, cache_creation_5m, cache_creation_1h,
  web_searches, web_fetches, cost_recorded, estimate`;

/** Files that are asked for are most often asked for together: whole sessions are fetched. Sums are asked of the server (facts.ts). */
export function createTeamUsage(ask: Ask, places: Places): Pick<Known, 'usageOf' | 'usageCells'> {
  const known = new Map<string, Map<string, FileUsage[]>>();

  function fetch(session: string): Map<string, FileUsage[]> {
    const sql = `SELECT ${COLUMNS} FROM usage FINAL WHERE session = {session:String} ORDER BY name, copy, start, owner`;
    const files = new Map<string, FileUsage[]>();
    for (const row of ask(sql, { session })) {
      const place: Place = { session, name: asString(row.name) ?? '' };
      const file = places.pathOf(place.session, place.name);
      const messages = files.get(file) ?? [];
      files.set(file, messages);
      messages.push(toMessage(row, file));
    }
    known.set(session, files);
    return files;
  }

  return {
    usageOf({ file }) {
      const place = places.placeOf(file);
      // Who folds joins what it is given: each asker gets messages of its own.
      return place && structuredClone((known.get(place.session) ?? fetch(place.session)).get(file) ?? []);
    },
    usageCells: () => undefined,
  };
}

function toMessage(row: JsonObject, file: string): FileUsage {
  const number = (name: string) => asNumber(row[name]) ?? 0;
  const text = (name: string) => asString(row[name]) || undefined;
  const start = number('start');
  return {
    key: text('message'),
    requestId: text('request'),
    usage: {
      input: number('input'),
      output: number('output'),
      cacheCreation: number('cache_creation'),
      cacheRead: number('cache_read'),
      cacheCreation5m: asNumber(row.cache_creation_5m),
      cacheCreation1h: asNumber(row.cache_creation_1h),
      webSearches: asNumber(row.web_searches),
      webFetches: asNumber(row.web_fetches),
      ...tierOf(text('tier') ?? ''),
    },
    ended: number('ended') === 1,
    synthetic: false,
    model: text('model'),
    time: number('timed') === 1 ? asNumber(row.ms) : undefined,
    costUSD: asNumber(row.cost_recorded),
    estimate: asNumber(row.estimate),
    origin: {
      file,
      line: 0,
      start,
      end: start,
      // The file's project is found from the folders its messages name: here all name the project.
      cwd: text('project'),
      gitBranch: text('branch'),
      agentId: text('agent'),
      isSidechain: number('sidechain') === 1,
      isCopy: number('copy') === 1,
      isFork: number('fork') === 1,
    },
  };
}
