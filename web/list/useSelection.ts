/** Where the arrow keys stand. It is a chat, not a place: what comes in above does not move it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { isCommand } from '../app/keys.ts';
import type { Route } from '../app/router.ts';
import { rowId } from './Row.tsx';
import type { ListRow } from './rows.ts';

interface Element<T extends HTMLElement> {
  readonly current: T | null;
}

export interface SelectionOptions {
  readonly rows: readonly ListRow[];
  readonly route: Route;
  readonly box: Element<HTMLElement>;
  readonly field: Element<HTMLInputElement>;
  readonly reveal: (index: number) => void;
}

const PAGE = 10;

/** How far each key goes; Infinity is the end. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE,
  PageUp: -PAGE,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export function useSelection({ rows, route, box, field, reveal }: SelectionOptions) {
  const [chosen, select] = useState(route.id);
  const wanted = useRef<string | null>(null);
  const places = rows.flatMap((row, index) => (row.type === 'chat' ? [{ id: row.chat.id, index }] : []));
  const at = places.findIndex(({ id }) => id === chosen);
  const id = places[Math.max(0, at)]?.id ?? null;

  const move = (step: number) => {
    const next = places[Math.min(places.length - 1, Math.max(0, at + step))];
    if (next === undefined) return;
    wanted.current = next.id;
    select(next.id);
    reveal(next.index);
    focusWanted();
  };
  // The row may be drawn only after the list has scrolled to it.
  const focusWanted = () => {
    const row = wanted.current === null ? null : document.getElementById(rowId(wanted.current));
    if (row === null || box.current?.contains(row) !== true) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  };
  useEffect(focusWanted);
  // A chat opened from elsewhere is shown in the list too.
  useEffect(() => {
    const opened = places.find((place) => place.id === route.id);
    select(route.id);
    if (opened) reveal(opened.index);
  }, [route.id]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    move(step);
    event.preventDefault();
  };

  // From the filter, and from the whole page while no chat is open, the keys lead into the list.
  const latest = useRef({ move, route, id });
  latest.current = { move, route, id };
  useEffect(() => {
    const fromField = (event: KeyboardEvent) => {
      const { move: go, id: first } = latest.current;
      if (event.key === 'ArrowDown') go(0);
      else if (event.key === 'Enter' && first !== null) document.getElementById(rowId(first))?.click();
      else return;
      event.preventDefault();
    };
    const fromPage = (event: KeyboardEvent) => {
      const { move: go, route: now } = latest.current;
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : STEPS[event.key];
      if (step === undefined || now.page !== 'chats' || !isCommand(event)) return;
      if (document.querySelector('dialog[open]') || isInside(event, box.current)) return;
      go(step);
      event.preventDefault();
    };
    const input = field.current;
    input?.addEventListener('keydown', fromField);
    addEventListener('keydown', fromPage);
    return () => {
      input?.removeEventListener('keydown', fromField);
      removeEventListener('keydown', fromPage);
    };
  }, []);

  return { id, select, onKeyDown };
}

function isInside({ target, key }: KeyboardEvent, box: HTMLElement | null): boolean {
  return target instanceof Node && box?.contains(target) === true && key in STEPS;
}
