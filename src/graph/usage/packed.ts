/** Messages as numbers and bytes outside the JavaScript heap: as objects, of hundreds of thousands each would take half a kilobyte. */
import { BLOCK_LENGTH, createIdList, idAt, toLine } from '../../format/idlist.ts';
import type { Ids } from '../../format/ids.ts';
import { createNumbers } from '../../format/numbers.ts';
import type { Usage } from '../../format/usage.ts';
import type { Claim, Claims } from '../idindex.ts';
import { createCounts, createRepeats } from './counts.ts';
import type { MessageUsage } from './fold.ts';

export interface OriginColumns<Origin> {
  set(row: number, origin: Origin): void;
  get(row: number): Origin;
  dropBefore(row: number): void;
}

export interface PackedMessages<Origin> {
  set(row: number, message: MessageUsage<Origin>): void;
  /** A copy: `set` it again when it has changed. */
  get(row: number): MessageUsage<Origin>;
  /** The same without what it is known by, which takes as long as all the rest. */
  counted(row: number): MessageUsage<Origin>;
  /** The number of what it is known by, -1 for none. */
  keyOf(row: number): number;
  requestOf(row: number): string | undefined;
  dropBefore(row: number): void;
}

const ENDED = 1;
const SYNTHETIC = 2;
const COSTS = 4;

const COUNTS = [
  'input',
  'output',
  'cacheCreation',
  'cacheRead',
  'cacheCreation5m',
  'cacheCreation1h',
  'webSearches',
  'webFetches',
] as const satisfies readonly (keyof Usage)[];

type Manner = Pick<Usage, 'serviceTier' | 'speed' | 'inferenceGeo'>;
type Parts = Pick<Usage, 'rounds' | 'besides'>;

export function createPackedMessages<Origin>(ids: Ids, origins: OriginColumns<Origin>): PackedMessages<Origin> {
  const keys = createNumbers(-1);
  const requests = createTexts();
  const models = createNumbers(-1);
  const modelNames = createRepeats<string>((model) => [model]);
  const flags = createNumbers(0, 'byte');
  const times = createNumbers(-1, 'float');
  const costs = createNumbers(0, 'float');
  const estimates = createCounts();
  const counts = COUNTS.map((name) => ({ name, column: createCounts() }));
  const mannerAt = createNumbers(0);
  const manners = createRepeats<Manner>(({ serviceTier, speed, inferenceGeo }) => [serviceTier, speed, inferenceGeo]);
  /** Hardly any message has them. */
  const parts = new Map<number, Parts>();
  const columns = [keys, requests, models, flags, times, costs, estimates, mannerAt, origins];

  function setUsage(row: number, usage: Usage): void {
    for (const { name, column } of counts) column.set(row, usage[name]);
    const { serviceTier, speed, inferenceGeo, rounds, besides } = usage;
    mannerAt.set(row, manners.numberOf({ serviceTier, speed, inferenceGeo }));
    if (rounds !== undefined || besides !== undefined) parts.set(row, { rounds, besides });
    else if (parts.size > 0) parts.delete(row);
  }

  function usageAt(row: number): Usage {
    const [input, output, cacheCreation, cacheRead, ...more] = counts.map(({ column }) => column.get(row));
    const [cacheCreation5m, cacheCreation1h, webSearches, webFetches] = more;
    const counted: Usage = {
      input: input ?? 0,
      output: output ?? 0,
      cacheCreation: cacheCreation ?? 0,
      cacheRead: cacheRead ?? 0,
      cacheCreation5m,
      cacheCreation1h,
      webSearches,
      webFetches,
      ...manners.at(mannerAt.get(row)),
    };
    return parts.size === 0 ? counted : { ...counted, ...parts.get(row) };
  }

  function counted(row: number): MessageUsage<Origin> {
    const told = flags.get(row);
    const time = times.get(row);
    return {
      key: undefined,
      requestId: undefined,
      usage: usageAt(row),
      ended: (told & ENDED) > 0,
      synthetic: (told & SYNTHETIC) > 0,
      model: modelNames.at(models.get(row)),
      time: time < 0 ? undefined : time,
      costUSD: (told & COSTS) > 0 ? costs.get(row) : undefined,
      estimate: estimates.get(row),
      origin: origins.get(row),
    };
  }

  return {
    set(row, { key, requestId, usage, ended, synthetic, model, time, costUSD, estimate, origin }) {
      keys.set(row, key === undefined ? -1 : ids.add(key));
      requests.set(row, requestId);
      models.set(row, model === undefined ? -1 : modelNames.numberOf(model));
      flags.set(row, (ended ? ENDED : 0) + (synthetic ? SYNTHETIC : 0) + (costUSD === undefined ? 0 : COSTS));
      times.set(row, time ?? -1);
      if (costUSD !== undefined) costs.set(row, costUSD);
      estimates.set(row, estimate);
      setUsage(row, usage);
      origins.set(row, origin);
    },
    get(row) {
      const key = keys.get(row);
      return { ...counted(row), key: key < 0 ? undefined : ids.at(key), requestId: requests.get(row) };
    },
    counted,
    keyOf: keys.get,
    requestOf: requests.get,
    dropBefore(row) {
      for (const column of columns) column.dropBefore(row);
      for (const { column } of counts) column.dropBefore(row);
    },
  };
}

/** Texts by row, as they come: they are compared only when somebody asks. One that is set again takes more room. */
function createTexts() {
  const list = createIdList();
  const blocks: Uint8Array[] = [];
  // Where each begins, counted as if every block had its full length.
  const starts = createNumbers(-1);
  const get = (row: number): string | undefined => {
    const start = starts.get(row);
    const block = blocks[Math.floor(start / BLOCK_LENGTH)];
    return start < 0 || block === undefined ? undefined : idAt(block, start % BLOCK_LENGTH);
  };
  return {
    get,
    set(row: number, text: string | undefined): void {
      if (text === undefined || get(row) === text) return;
      const place = list.add(toLine(text));
      if (place === 0) blocks.push(list.block());
      else blocks[blocks.length - 1] = list.block();
      starts.set(row, (blocks.length - 1) * BLOCK_LENGTH + place);
    },
    dropBefore: starts.dropBefore,
  };
}

export interface PackedClaims extends Claims<number> {
  /** What was claimed until now takes less memory, and longer to be found. */
  pack(
    ids: Ids,
    messages: Pick<PackedMessages<unknown>, 'keyOf' | 'requestOf'>,
    keyAt: (row: number) => string | undefined,
  ): void;
}

/** Which rows claim which ids. */
export function createPackedClaims(): PackedClaims {
  const live = new Map<string, Claim<number>>();
  let packed: ReturnType<typeof claimsById> | undefined;
  return {
    get(id) {
      const claim = live.get(id);
      return claim !== undefined || packed === undefined ? claim : packed.get(id);
    },
    set(id, claim) {
      if (packed?.get(id) === undefined) live.set(id, claim);
      else packed.set(packed.ids.find(id), claim);
    },
    pack(ids, messages, keyAt) {
      packed ??= claimsById(ids, messages);
      for (const [id, claim] of live) {
        const isKey = keyAt(claim.value) === id;
        packed.set(isKey ? messages.keyOf(claim.value) : ids.add(id), claim);
      }
      live.clear();
    },
  };
}

function claimsById(ids: Ids, { requestOf }: Pick<PackedMessages<unknown>, 'requestOf'>) {
  const rows = createNumbers(-1);
  /** Where it is not that of the row. */
  const requests = new Map<number, string | undefined>();
  return {
    ids,
    get(text: string): Claim<number> | undefined {
      const id = ids.find(text);
      const row = id < 0 ? -1 : rows.get(id);
      return row < 0 ? undefined : { requestId: requests.has(id) ? requests.get(id) : requestOf(row), value: row };
    },
    set(id: number, { requestId, value }: Claim<number>): void {
      rows.set(id, value);
      if (requestOf(value) === requestId) requests.delete(id);
      else requests.set(id, requestId);
    },
  };
}
