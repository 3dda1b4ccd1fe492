/** A key or an answer, and what the screen is then; what is to be done comes as values (effects). */
import { chosen } from './choose.ts';
import { bodyRows, layoutOf } from './layout.ts';
import { listKey } from './listkeys.ts';
import { helpKey, menuKey, slimKey } from './menukeys.ts';
import { moved } from './moving.ts';
import { grown, readerKey, reread } from './readerkeys.ts';
import type { Effect, Event, Screen, State, Step } from './state.ts';
import { chatOfHit, wordsKey } from './wordskeys.ts';

export function reduce(state: State, event: Event): Step {
  const step = take(state, event);
  const preview = wantedPreview(step.state);
  const isNew = preview !== undefined && preview.key !== step.state.preview?.key;
  const isAsked = preview?.key === wantedPreview(state)?.key && event.kind !== 'loaded';
  return isNew && !isAsked ? { ...step, effects: [...step.effects, preview] } : step;
}

/** The preview that the screen has room for and a chat to show of. */
export function wantedPreview(state: State): Extract<Effect, { kind: 'preview' }> | undefined {
  const { preview } = layoutOf(state.size);
  const top = state.screens.at(-1);
  // Nobody sees it below something else.
  if (top !== undefined && top.kind !== 'words') return undefined;
  const hit = top?.hits[top.selected];
  const chat = hit === undefined ? state.shown[state.selected] : chatOfHit(state, hit);
  if (preview === undefined || chat === undefined) return undefined;
  const turn = hit?.uuid;
  const key = `${chat.file.file}:${chat.bytes}:${turn ?? ''}:${preview.columns}`;
  return { kind: 'preview', key, chat, turn, width: preview.columns };
}

function take(state: State, event: Event): Step {
  switch (event.kind) {
    case 'key':
      return keyPressed({ ...state, message: undefined }, event.key, event.text);
    case 'resize':
      return resized(state, event.size);
    case 'loaded':
      return still(chosen({ ...state, chats: event.chats, isDemo: event.isDemo, now: event.now }));
    case 'previewed':
      if (event.key !== wantedPreview(state)?.key) return still(state);
      return still({ ...state, preview: { key: event.key, lines: event.lines } });
    case 'said':
      return still({ ...state, message: event.message });
    default:
      return event.job === state.job ? answered(state, event) : still(state);
  }
}

const still = (state: State): Step => ({ state, effects: [] });

function keyPressed(state: State, key: string, text: string): Step {
  if (key === 'ctrl+c' || key === 'ctrl+d') return { state, effects: [{ kind: 'quit' }] };
  if (key === 'ctrl+z') return { state, effects: [{ kind: 'suspend' }] };
  const screen = state.screens.at(-1);
  switch (screen?.kind) {
    case undefined:
      return listKey(state, key, text);
    case 'words':
      return wordsKey(state, screen, key, text);
    case 'reader':
      return readerKey(state, screen, key, text);
    case 'menu':
      return menuKey(state, screen, key, text);
    case 'slim':
      return slimKey(state, screen, key, text);
    case 'help':
      return helpKey(state, screen, key, text);
  }
}

/** What is read was broken at the width there was. */
function resized(state: State, size: State['size']): Step {
  const { rows } = layoutOf(size).list;
  const next = { ...state, size, ...moved(state, state.selected, state.shown.length, rows) };
  const screen = next.screens.at(-1);
  return screen?.kind === 'reader' && size.columns !== state.size.columns ? reread(next, screen) : still(next);
}

type Answer = Extract<Event, { readonly job: number }>;

function answered(state: State, event: Answer): Step {
  // A menu may lie over what the answer is for.
  const at = state.screens.findLastIndex(({ kind }) => kind === 'reader' || kind === 'words' || kind === 'slim');
  const screen = state.screens[at];
  const put = (next: Screen): State => ({ ...state, screens: state.screens.with(at, next) });
  const rows = bodyRows(state.size);
  if (screen === undefined) return still(state);
  switch (event.kind) {
    case 'text':
      return screen.kind === 'reader' ? still(put(grown(screen, event.lines, event.isCut, rows))) : still(state);
    case 'ended':
      if (screen.kind !== 'reader') return still(state);
      return still(
        put({ ...screen, isDone: true, top: Math.max(0, Math.min(screen.top, screen.lines.length - rows)) }),
      );
    case 'found': {
      if (screen.kind !== 'words') return still(state);
      const { hits, total, told } = event;
      return still(put({ ...screen, phase: 'found', hits, total, told, selected: 0, top: 0 }));
    }
    case 'measured':
      if (screen.kind !== 'slim') return still(state);
      return still(put({ ...screen, before: event.before, presets: event.presets, phase: 'choose' }));
    case 'slimmed':
      return {
        state: { ...state, screens: [], message: { tone: 'good', text: event.words } },
        effects: [{ kind: 'reload' }],
      };
    case 'failed': {
      const message = { tone: 'bad', text: event.words } as const;
      if (screen.kind === 'words') return still({ ...put({ ...screen, phase: 'failed' }), message });
      return still({ ...state, screens: state.screens.slice(0, at), message });
    }
  }
}
