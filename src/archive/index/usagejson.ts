/** The usage of a file's messages as JSON, and back. Names that repeat are written once. */
import type { FileUsage } from '../../disk/usage.ts';
import { asArray, asNumber, asObject, asString, type Json } from '../../format/json.ts';
import type { Usage } from '../../format/usage.ts';

/**
 * Which layout, and which rules of reading and pricing, what is kept goes by; what goes by others is read again. 2: costs and times are
 * within bounds, cache writes are at least their parts, fast mode is known. 3: copies of messages without ids are told. 4: what was done besides
 * a message counts. 5: rounds of a message are priced by their own size, cache writes for an hour at the clouds as at Anthropic. 6: a line
 * counts for the message whose id it tells, whatever else was written under its uuid. 7: an id that is empty is none, and what was recorded after all is not guessed in sums.
 */
export const USAGE_LAYOUT = 7;

/** Flags of a row. */
const ENDED = 1;
const SIDECHAIN = 2;
const COPY = 4;
const FORK = 8;

export function usageToJson(messages: readonly FileUsage[]): Json {
  const names: string[] = [];
  const places = new Map<string, number>();
  const nameOf = (text: string | undefined): number => {
    if (text === undefined) return -1;
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, names.length);
    return names.push(text) - 1;
  };
  const rows = messages.map(({ key, requestId, model, time, usage, ended, costUSD, estimate, origin }): Json[] => [
    // What is known by its place alone is another message in another file, also in one that is kept as the same bytes.
    key === undefined || key.startsWith(`${origin.file}:`) ? null : key,
    requestId ?? null,
    nameOf(model),
    time ?? null,
    (ended ? ENDED : 0) +
      (origin.isSidechain ? SIDECHAIN : 0) +
      (origin.isCopy ? COPY : 0) +
      (origin.isFork ? FORK : 0),
    nameOf(origin.cwd),
    nameOf(origin.gitBranch),
    nameOf(origin.agentId),
    origin.start,
    origin.end,
    usage.input,
    usage.output,
    usage.cacheCreation,
    usage.cacheRead,
    usage.cacheCreation5m ?? null,
    usage.cacheCreation1h ?? null,
    usage.webSearches ?? null,
    usage.webFetches ?? null,
    nameOf(usage.serviceTier),
    costUSD ?? null,
    estimate ?? null,
    nameOf(usage.speed),
    nameOf(usage.inferenceGeo),
    ...(usage.rounds === undefined ? [] : [usage.rounds.map(roundToJson)]),
  ]);
  return { names, rows };
}

/** All that prices depend on and that is a round's own. */
function roundToJson({ input, output, cacheCreation, cacheRead, cacheCreation1h = 0 }: Usage): Json {
  return [input, output, cacheCreation, cacheRead, cacheCreation1h];
}

function roundFromJson(json: Json): Usage {
  const cells = asArray(json) ?? [];
  const [input = 0, output = 0, cacheCreation = 0, cacheRead = 0, cacheCreation1h = 0] = cells.map(
    (cell) => asNumber(cell) ?? 0,
  );
  return { input, output, cacheCreation, cacheRead, cacheCreation1h };
}

/** undefined when it is not what was written. */
export function usageFromJson(json: Json | undefined, file: string): FileUsage[] | undefined {
  const { names, rows } = asObject(json) ?? {};
  const list = asArray(names);
  const table = asArray(rows);
  if (list === undefined || table === undefined) return undefined;
  const nameAt = (place: Json | undefined) => asString(list[asNumber(place) ?? -1]);
  const messages: FileUsage[] = [];
  for (const row of table) {
    const cells = asArray(row);
    if (cells === undefined) return undefined;
    messages.push(toMessage(cells, file, nameAt));
  }
  return messages;
}

function toMessage(
  cells: readonly Json[],
  file: string,
  nameAt: (place: Json | undefined) => string | undefined,
): FileUsage {
  const flags = asNumber(cells[4]) ?? 0;
  return {
    key: asString(cells[0]),
    requestId: asString(cells[1]),
    usage: toUsage(cells, nameAt),
    ended: (flags & ENDED) > 0,
    synthetic: false,
    model: nameAt(cells[2]),
    time: asNumber(cells[3]),
    costUSD: asNumber(cells[19]),
    estimate: asNumber(cells[20]),
    origin: {
      file,
      line: 0,
      start: asNumber(cells[8]) ?? 0,
      end: asNumber(cells[9]) ?? 0,
      cwd: nameAt(cells[5]),
      gitBranch: nameAt(cells[6]),
      agentId: nameAt(cells[7]),
      isSidechain: (flags & SIDECHAIN) > 0,
      isCopy: (flags & COPY) > 0,
      isFork: (flags & FORK) > 0,
    },
  };
}

function toUsage(cells: readonly Json[], nameAt: (place: Json | undefined) => string | undefined): Usage {
  return {
    input: asNumber(cells[10]) ?? 0,
    output: asNumber(cells[11]) ?? 0,
    cacheCreation: asNumber(cells[12]) ?? 0,
    cacheRead: asNumber(cells[13]) ?? 0,
    cacheCreation5m: asNumber(cells[14]),
    cacheCreation1h: asNumber(cells[15]),
    webSearches: asNumber(cells[16]),
    webFetches: asNumber(cells[17]),
    serviceTier: nameAt(cells[18]),
    speed: nameAt(cells[21]),
    inferenceGeo: nameAt(cells[22]),
    rounds: asArray(cells[23])?.map(roundFromJson),
  };
}
