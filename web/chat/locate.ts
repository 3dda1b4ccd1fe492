/** From an entry to its row: brings in the turn it stands in, and the sub-agents around it. */
import { agentKey } from '../../src/views/page/embedded.ts';
import { ITEMS_PART } from '../../src/views/page/options.ts';
import type { FoundPlace, PageTurn } from '../../src/views/page/types.ts';
import { itemKey, partKey, turnKey } from './rows.ts';
import type { ChatStore } from './store.ts';

export interface Located {
  readonly key: string;
  /** What must be open for it to be seen. */
  readonly open: readonly string[];
}

export async function locate(store: ChatStore, place: FoundPlace, uuid: string): Promise<Located> {
  await store.need(place.index, place.index + 1);
  const turn = store.data().turns.get(place.index);
  const key = turnKey(place.index);
  if (turn === undefined || place.item === null) return { key, open: [] };
  const part = Math.floor(place.item / ITEMS_PART);
  if (part > 0) await store.needPart(place.index, part);
  const held = part > 0 ? store.data().parts.get(partKey(place.index, part)) : turn;
  if (place.calls.length === 0 || held === undefined) return { key: rowKeyOf(turn, key, place.item), open: [] };
  return inAgents(store, { turn: held, key, first: part * ITEMS_PART }, place.calls, uuid);
}

/** The prompt stands in the row that begins the turn. */
function rowKeyOf(turn: PageTurn, key: string, item: number): string {
  return item === 0 && turn.items[0]?.type === 'prompt' ? key : itemKey(key, item);
}

interface Held {
  readonly turn: PageTurn;
  readonly key: string;
  /** Which item of the turn its first is. */
  readonly first: number;
}

async function inAgents(store: ChatStore, outer: Held, calls: readonly string[], uuid: string): Promise<Located> {
  const open: string[] = [];
  let turns = [outer];
  let { key } = outer;
  for (const callId of calls) {
    const found = findItem(turns, ({ item }) => item.type === 'call' && item.call.id === callId);
    if (found === undefined) return { key, open };
    key = found.key;
    open.push(key);
    const { item } = found;
    const run = item.type === 'call' ? item.call.agent : null;
    if (run === null) return { key, open };
    await store.needAgent(run);
    const inner = store.data().agents.get(agentKey(run))?.turns ?? [];
    turns = inner.map((turn) => ({ turn, key: `${key}/${turnKey(turn.index)}`, first: 0 }));
  }
  const wanted = findItem(turns, ({ item }) => item.uuid === uuid);
  return { key: wanted?.key ?? key, open };
}

function findItem(turns: readonly Held[], fits: (found: { readonly item: PageTurn['items'][number] }) => boolean) {
  for (const { turn, key, first } of turns) {
    const place = turn.items.findIndex((item) => fits({ item }));
    const item = turn.items[place];
    if (item !== undefined) return { item, key: rowKeyOf(turn, key, first + place) };
  }
  return undefined;
}
