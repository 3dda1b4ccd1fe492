/** The console as one thing: its state, what is drawn of it, what keys do, and questions that wait for an answer. */
import { Editor } from '@earendil-works/pi-tui/dist/components/editor.js';
import { decodePrintableKey, isKeyRelease, parseKey } from '@earendil-works/pi-tui/dist/keys.js';
import type { Terminal } from '@earendil-works/pi-tui/dist/terminal.js';
import { type Chosen, type Dialog, dialogLines, press, takesText } from './dialog.ts';
import { fold } from './fold.ts';
import { type FoldedPiece, foldedDialog, withFolded } from './folded.ts';
import { liveLines } from './liveview.ts';
import type { Palette } from './palette.ts';
import { type Look, needsAir, openedLines, pieceLines } from './pieceview.ts';
import { Screen } from './screen.ts';
import { emptyState, type Piece, type ScreenEvent, type ScreenState } from './state.ts';
import { type Status, statusLine } from './statusline.ts';

export interface AppOptions {
  readonly terminal: Terminal;
  readonly palette: Palette;
  readonly cwd: string;
  readonly now: () => number;
  /** Nobody answers any more. */
  readonly signal: AbortSignal;
  status(): Omit<Status, 'context' | 'costUSD' | 'keys'>;
  /** A key that no question took; true: it is done with. */
  onKey(key: string): boolean;
  onSubmit(text: string): void;
}

export interface App {
  readonly screen: Screen;
  readonly editor: Editor;
  readonly state: ScreenState;
  readonly isAsking: boolean;
  /** Shown in the last line instead of the keys, until the next key. */
  hint(words: string): void;
  tell(event: ScreenEvent): void;
  put(piece: Piece): void;
  /** One at a time. Undefined when it was cancelled, or the signal fired; those with a signal come unbidden. */
  choose(dialog: Dialog, signal?: AbortSignal): Promise<Chosen | undefined>;
  /** Writes out what was folded; of several, the one that is chosen. */
  openFolded(): void;
}

interface Waiting {
  dialog: Dialog;
  /** It came while somebody was writing: their keys are not answers until they pause. */
  isGuarded: boolean;
  /** It came in the place of another one: a key that is pressed on is not its answer. */
  deafUntil: number;
  /** All of it was seen, or need not be. */
  isWhole: boolean;
  readonly answer: (chosen: Chosen | undefined) => void;
}

/** Who has not written for so long reads what is asked. */
const PAUSE_MS = 800;

/** Nobody reads a question faster. */
const GLANCE_MS = 300;

/** Rows that a question takes beside what it is about. */
const LEAST_AROUND = 10;

export function createApp(options: AppOptions): App {
  const { terminal, palette, cwd, now } = options;
  let state = emptyState();
  let last: Piece | undefined;
  let folded: readonly FoldedPiece[] = [];
  let asked: Waiting | undefined;
  let asking: Promise<unknown> = Promise.resolve();
  let hint = '';
  let typedAt = Number.NEGATIVE_INFINITY;

  const look = (width: number): Look => ({ width, palette, cwd });
  const screen = new Screen(terminal, (width, height) => {
    const room = Math.max(6, height - 2);
    if (asked !== undefined) showWhole(asked);
    const below = asked === undefined ? editorLines(width) : dialogLines(asked.dialog, width, room, palette);
    const status = asked === undefined ? statusLine(statusNow(), width, palette) : '';
    const isJoined = last?.kind === 'answer' && last.goesOn;
    return liveLines(
      { state, below, status, now: now(), isJoined, isAsking: asked !== undefined },
      look(width),
      height,
    );
  });
  const editor = new Editor(
    screen,
    {
      borderColor: palette.dim,
      selectList: {
        selectedPrefix: palette.accent,
        selectedText: palette.accent,
        description: palette.dim,
        scrollInfo: palette.dim,
        noMatch: palette.dim,
      },
    },
    { paddingX: 2, autocompleteMaxVisible: 8 },
  );
  editor.focused = true;
  editor.onSubmit = (text) => options.onSubmit(text);

  /** The prompt mark stands in the room at the left. */
  function editorLines(width: number): string[] {
    const isShell = editor.getText().startsWith('!');
    // The editor takes what is pasted nearly as it is.
    const lines = editor.render(width).map((line) => line.replace(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g, ''));
    const mark = isShell ? palette.magenta('!') : palette.accent('❯');
    return lines.map((line, i) => (i === 1 && line.startsWith('  ') ? `${mark} ${line.slice(2)}` : line).trimEnd());
  }

  function statusNow(): Status {
    const { context, costUSD } = state;
    return { ...options.status(), context, costUSD, keys: hint !== '' ? hint : keysNow() };
  }

  function keysNow(): string {
    if (state.since !== undefined) return editor.getText() === '' ? 'esc stops' : '⏎ queues · esc stops';
    return editor.getText() === '' ? '? for keys' : '⏎ sends · \\⏎ new line';
  }

  const put = (piece: Piece) => {
    const { columns } = terminal;
    const lines = pieceLines(piece, look(columns));
    screen.commit(needsAir(last, piece) ? ['', ...lines] : lines);
    last = piece;
    if (piece.kind === 'call' || piece.kind === 'thought') folded = withFolded(folded, piece);
  };

  const answer = (chosen: Chosen | undefined) => {
    const { answer: tell } = asked ?? {};
    asked = undefined;
    screen.requestRender();
    tell?.(chosen);
  };

  /** What is longer than the screen is shown whole above it; also when the window has become smaller. */
  const showWhole = (waiting: Waiting) => {
    const body = waiting.isWhole ? [] : waiting.dialog.body(terminal.columns, waiting.dialog.index);
    if (body.length === 0 || body.length <= terminal.rows - LEAST_AROUND) return;
    waiting.isWhole = true;
    screen.commit(['', ...body]);
  };

  /** Also who has just sent one message to a model at work, and begins the next. */
  const isWriting = () => editor.getText() !== '' || typedAt > (state.since ?? Number.POSITIVE_INFINITY);

  const ask = (dialog: Dialog, signal: AbortSignal, isUnbidden: boolean, isNext: boolean) =>
    new Promise<Chosen | undefined>((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const stop = () => {
        if (asked === mine) answer(undefined);
      };
      const mine: Waiting = {
        dialog,
        isGuarded: isUnbidden && isWriting() && now() - typedAt < PAUSE_MS,
        deafUntil: isNext ? now() + GLANCE_MS : 0,
        isWhole: dialog.filter !== undefined,
        answer: (chosen) => {
          signal.removeEventListener('abort', stop);
          resolve(chosen);
        },
      };
      showWhole(mine);
      asked = mine;
      signal.addEventListener('abort', stop);
      screen.requestRender();
    });

  const choose: App['choose'] = (dialog, signal) => {
    const isNext = asked !== undefined;
    const next = asking.then(() => ask(dialog, signal ?? options.signal, signal !== undefined, isNext));
    asking = next.catch(() => {});
    return next;
  };

  const open = (piece: FoldedPiece) => {
    // It is not folded any more.
    folded = folded.filter((each) => each !== piece);
    screen.commit(['', ...openedLines(piece, look(terminal.columns))]);
  };

  const openChosen = async (pieces: readonly FoldedPiece[]) => {
    const chosen = await choose(foldedDialog(pieces, cwd));
    const piece = chosen && pieces[chosen.index];
    if (piece !== undefined) open(piece);
  };

  const onInput = (data: string) => {
    if (isKeyRelease(data)) return;
    const key = parseKey(data) ?? '';
    hint = '';
    const isStop = key === 'escape' || key === 'ctrl+c';
    if (asked?.isGuarded && !isStop && now() - typedAt < PAUSE_MS) {
      typedAt = now();
      editor.handleInput(data);
      return;
    }
    if (asked !== undefined && !isStop && now() < asked.deafUntil) {
      asked.deafUntil = now() + GLANCE_MS;
      return;
    }
    if (asked !== undefined) {
      asked.isGuarded = false;
      // What is pasted is text, not a key that answers.
      const isText = !PASTE.test(data) || takesText(asked.dialog);
      const pressed = press(asked.dialog, key, isText ? textOf(data) : undefined);
      if ('dialog' in pressed) asked.dialog = pressed.dialog;
      else answer('chosen' in pressed ? pressed.chosen : undefined);
      return;
    }
    typedAt = now();
    if (!options.onKey(key)) editor.handleInput(data);
  };
  screen.setFocus({ render: () => [], invalidate: () => {}, handleInput: onInput });

  return {
    screen,
    editor,
    get state() {
      return state;
    },
    get isAsking() {
      return asked !== undefined;
    },
    hint: (words) => {
      hint = words;
      screen.requestRender();
    },
    tell: (event) => {
      const { state: next, pieces } = fold(state, event, now());
      state = next;
      for (const piece of pieces) put(piece);
      screen.requestRender();
    },
    put,
    choose,
    openFolded: () => {
      const [newest, ...others] = folded;
      if (newest === undefined) hint = 'nothing is folded';
      else if (others.length === 0) open(newest);
      else void openChosen(folded);
    },
  };
}

const PASTE = /^\u001b\[200~([\s\S]*)\u001b\[201~$/;

/** What a key writes; a paste is its text in one line. */
function textOf(data: string): string | undefined {
  const paste = PASTE.exec(data)?.[1];
  if (paste !== undefined) return paste.replace(/\s+/g, ' ');
  const printable = decodePrintableKey(data);
  if (printable !== undefined) return printable;
  return data.charCodeAt(0) >= 32 && data.charCodeAt(0) !== 127 ? data : undefined;
}
