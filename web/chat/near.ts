/** Which turns of an open chat are to be here: those near the reader. */
import type { TurnHead } from '../../src/views/page/types.ts';
import type { ChatData } from './store.ts';

/** Loaded at once: so many turns, or fewer when they are long. */
const MOST_TURNS = 50;
const MOST_MESSAGES = 300;
/** More than this is dropped again, where the reader is not. */
const MOST_ITEMS = 6000;
const FEW_ITEMS = 3000;
/** Turns so near stay, however long they are. */
const ALWAYS = 5;

export function isTooMuch(turns: ChatData['turns']): boolean {
  return itemsIn(turns) > MOST_ITEMS;
}

function itemsIn(turns: ChatData['turns']): number {
  let items = 0;
  for (const turn of turns.values()) items += turn.items.length;
  return items;
}

/** Without the turns that are farthest from where the reader is, when there are too many items. */
export function nearest(
  { turns, parts }: Pick<ChatData, 'turns' | 'parts'>,
  { from, to }: { readonly from: number; readonly to: number },
): Pick<ChatData, 'turns' | 'parts'> {
  if (!isTooMuch(turns)) return { turns, parts };
  let items = itemsIn(turns);
  const distance = (index: number) => Math.max(from - index, index - to + 1, 0);
  const kept = new Map(turns);
  for (const index of [...turns.keys()].sort((a, b) => distance(b) - distance(a))) {
    if (items <= FEW_ITEMS || distance(index) <= ALWAYS) break;
    items -= kept.get(index)?.items.length ?? 0;
    kept.delete(index);
  }
  return { turns: kept, parts: new Map([...parts].filter(([, { index }]) => kept.has(index))) };
}

export function isSame(turn: TurnHead | undefined, head: TurnHead | undefined): boolean {
  return (
    turn !== undefined &&
    head !== undefined &&
    turn.uuid === head.uuid &&
    turn.ended === head.ended &&
    turn.messages === head.messages &&
    turn.calls === head.calls &&
    turn.failures === head.failures &&
    turn.state === head.state
  );
}

/** Runs of turns to ask for, each small enough for one answer. */
export function* missing(
  { page, turns }: ChatData,
  old: ReadonlySet<number>,
  asked: ReadonlyMap<number, unknown>,
  from: number,
  to: number,
): Generator<[number, number]> {
  let start = -1;
  let messages = 0;
  const end = Math.min(to, page.turns.length);
  for (let index = Math.max(0, from); index <= end; index += 1) {
    const wanted = index < end && !asked.has(index) && (!turns.has(index) || old.has(index));
    const full = start >= 0 && (index - start >= MOST_TURNS || messages >= MOST_MESSAGES);
    if (start >= 0 && (!wanted || full)) {
      yield [start, index];
      start = -1;
    }
    if (!wanted) continue;
    if (start < 0) {
      start = index;
      messages = 0;
    }
    messages += page.turns[index]?.messages ?? 0;
  }
}
