/** The keys of an open chat (web/app/keys.ts tells what they do). */
import { useEffect, useRef } from 'preact/hooks';
import type { ChatPage } from '../../src/views/page/types.ts';
import { hitBeside } from '../app/hits.ts';
import { isCommand } from '../app/keys.ts';
import { go, parseRoute, withParams } from '../app/router.ts';
import { copyText } from '../parts/clipboard.ts';
import { linkTo } from './link.ts';
import { itemMarkdown, turnMarkdown } from './markdown.ts';
import { type Row, timelineKey, turnKey } from './rows.ts';
import { type Scroll, THE_END } from './useScroll.ts';

export interface KeysInput {
  readonly rows: readonly Row[];
  readonly scroll: Scroll;
  readonly selected: string | undefined;
  readonly select: (key: string, align?: 'start' | 'center' | 'auto') => void;
  /** Without going there. */
  readonly setSelected: (key: string) => void;
  readonly toggle: (key: string) => void;
  readonly page: ChatPage;
  readonly say: (text: string) => void;
  readonly onBranch: (branch: number) => void;
  /** Keys of the frame around: true when it took one. */
  readonly onKey: (key: string) => boolean;
}

export function useChatKeys(input: KeysInput): void {
  const latest = useRef(input);
  latest.current = input;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommand(event) || document.querySelector('dialog[open]')) return;
      if (event.key === 'Enter' && isControl(event.target)) return;
      if (act(event.key, latest.current)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** What Enter presses by itself. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a, summary, select, [role="option"]') !== null;
}

function act(key: string, input: KeysInput): boolean {
  switch (key) {
    case 'j':
      return toTurn(input, 1);
    case 'k':
      return toTurn(input, -1);
    case 'J':
      return toRow(input, 1);
    case 'K':
      return toRow(input, -1);
    case 'g':
      return edge(input, 0);
    case 'G':
      return edge(input, input.rows.length - 1);
    case 'e':
      return toFailure(input, 1);
    case 'E':
      return toFailure(input, -1);
    case 'o':
    case 'Enter':
      return unfold(input);
    case 'w':
      return onTurn(input, (index) => input.toggle(timelineKey(turnKey(index))));
    case 'n':
      return toHit(input, 1);
    case 'N':
      return toHit(input, -1);
    case '[':
      return toBranch(input, -1);
    case ']':
      return toBranch(input, 1);
    case 'y':
      return copyRow(input);
    case 'l':
      return copyRowLink(input);
    default:
      return input.onKey(key);
  }
}

/** Where the reader is: at the selection while it is in sight, else at the first row that is seen. */
function here({ rows, scroll, selected }: KeysInput): number {
  const place = selected === undefined ? -1 : scroll.rowAt(selected);
  const [first, last] = inSight(scroll);
  return place >= first && place <= last ? place : Math.min(first, rows.length - 1);
}

/** Asked of the element itself: after a key that scrolled, the rows that were drawn are behind it for a moment. */
function inSight({ virtualizer }: Scroll): [first: number, last: number] {
  const { scrollTop = 0, clientHeight = 0 } = virtualizer.scrollElement ?? {};
  const at = (offset: number) => virtualizer.getVirtualItemForOffset(offset)?.index ?? 0;
  return [at(scrollTop), at(scrollTop + clientHeight)];
}

function onTurn(input: KeysInput, act: (index: number) => void): boolean {
  const row = input.rows[here(input)];
  if (row) act(row.turn);
  return true;
}

function toTurn(input: KeysInput, step: 1 | -1): boolean {
  const row = input.rows[here(input)];
  if (row === undefined) return true;
  const isStart = row.key === turnKey(row.turn);
  const none = input.selected === undefined && step > 0 && isStart && row.turn === 0;
  const index = none || (step < 0 && !isStart) ? row.turn : row.turn + step;
  if (index >= 0 && index < input.page.turns.length) input.select(turnKey(index), 'start');
  return true;
}

function toRow(input: KeysInput, step: 1 | -1): boolean {
  const at = here(input);
  const row = input.rows[input.selected === undefined ? at : at + step];
  if (row) input.select(row.key, 'auto');
  return true;
}

function edge(input: KeysInput, place: number): boolean {
  const row = input.rows[place];
  if (row === undefined) return true;
  if (place === 0) input.select(row.key, 'start');
  else {
    input.setSelected(row.key);
    input.scroll.goTo(THE_END);
  }
  return true;
}

function toFailure(input: KeysInput, step: 1 | -1): boolean {
  const { rows } = input;
  for (let place = here(input) + step; place >= 0 && place < rows.length; place += step) {
    const row = rows[place];
    if (row && isFailure(row)) {
      input.select(row.key, 'center');
      return true;
    }
  }
  input.say(step > 0 ? 'No failure after this' : 'No failure before this');
  return true;
}

/** Of a turn that is not loaded only the number of failures is known. */
function isFailure(row: Row): boolean {
  if (row.type === 'unloaded') return row.head.failures > 0;
  if (row.type !== 'item') return false;
  return row.item.type === 'api_error' || (row.item.type === 'call' && row.item.call.failure !== null);
}

/** The control that unfolds the row, wherever it is in it. */
function unfold(input: KeysInput): boolean {
  const row = input.rows[here(input)];
  if (row === undefined) return true;
  const element = document.querySelector(`[data-key="${CSS.escape(row.key)}"] [aria-expanded]`);
  if (element instanceof HTMLElement) element.click();
  return true;
}

/** From the place in the address: what is drawn may be behind it. */
function toHit({ say }: KeysInput, step: 1 | -1): boolean {
  const route = parseRoute(location.hash);
  const hit = hitBeside(route.id ?? '', route.params.at, step);
  if (hit === undefined) say(step > 0 ? 'No further hit' : 'No hit before this');
  else if (hit.chat === route.id) go(withParams(route, { at: hit.uuid }), { replace: true });
  else go({ page: 'chat', id: hit.chat, params: { ...route.params, branch: '', at: hit.uuid } });
  return true;
}

function toBranch({ page, onBranch }: KeysInput, step: 1 | -1): boolean {
  const { length } = page.branches;
  if (length > 1) onBranch((page.branch + step + length) % length);
  return true;
}

function copyRow(input: KeysInput): boolean {
  const row = input.rows[here(input)];
  const text =
    row?.type === 'turn' ? turnMarkdown(row.head) : row?.type === 'item' ? itemMarkdown(row.item) : undefined;
  if (text !== undefined) void copyText(text).then((done) => input.say(done ? 'Copied as Markdown' : 'Could not copy'));
  return true;
}

function copyRowLink(input: KeysInput): boolean {
  const row = input.rows[here(input)];
  const uuid = row?.type === 'turn' ? row.head.uuid : row?.type === 'item' ? row.item.uuid : null;
  if (uuid === null || uuid === undefined) return true;
  const link = linkTo(input.page.chat.id, input.page.branch, uuid);
  void copyText(link).then((done) => input.say(done ? 'Copied the link' : 'Could not copy'));
  return true;
}
