/** From an entry to its row: brings in the turn it stands in, and the sub-agents around it. */
import type { FoundPlace, PageTurn } from '../../src/views/page/types.ts';
import { itemKey, turnKey } from './rows.ts';
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
  if (place.calls.length > 0) return inAgents(store, turn, key, place.calls, uuid);
  return { key: rowKeyOf(turn, key, place.item), open: [] };
}

/** The prompt stands in the row that begins the turn. */
function rowKeyOf(turn: PageTurn, key: string, item: number): string {
  return item === 0 && turn.items[0]?.type === 'prompt' ? key : itemKey(key, item);
}

async function inAgents(
  store: ChatStore,
  outer: PageTurn,
  outerKey: string,
  calls: readonly string[],
  uuid: string,
): Promise<Located> {
  const open: string[] = [];
  let turns = [{ turn: outer, key: outerKey }];
  let key = outerKey;
  for (const callId of calls) {
    const found = findItem(turns, ({ item }) => item.type === 'call' && item.call.id === callId);
    if (found === undefined) return { key, open };
    key = found.key;
    open.push(key);
    const { item } = found;
    const agentId = item.type === 'call' ? item.call.agent?.agentId : undefined;
    if (agentId === undefined) return { key, open };
    await store.needAgent(agentId);
    const inner = store.data().agents.get(agentId)?.turns ?? [];
    turns = inner.map((turn) => ({ turn, key: `${key}/${turnKey(turn.index)}` }));
  }
  const wanted = findItem(turns, ({ item }) => item.uuid === uuid);
  return { key: wanted?.key ?? key, open };
}

function findItem(
  turns: readonly { readonly turn: PageTurn; readonly key: string }[],
  fits: (found: { readonly item: PageTurn['items'][number] }) => boolean,
) {
  for (const { turn, key } of turns) {
    const place = turn.items.findIndex((item) => fits({ item }));
    const item = turn.items[place];
    if (item !== undefined) return { item, key: rowKeyOf(turn, key, place) };
  }
  return undefined;
}
