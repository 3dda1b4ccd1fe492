/** What the screen of all chats knows. Keys and answers make a new one (reduce.ts), lines are made of it (view.ts). */
import type { ListedChat } from '../chats.ts';

export const SORTS = ['updated', 'started', 'size', 'turns', 'title', 'project'] as const;
export type Sort = (typeof SORTS)[number];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A place in a list, and the first row that is shown. */
export interface Place {
  readonly selected: number;
  readonly top: number;
}

export interface Hit {
  /** The id of its chat, as the list has it. */
  readonly chat: string;
  readonly file: string;
  readonly uuid: string | undefined;
  readonly where: string;
  readonly isError: boolean;
  readonly time: string | undefined;
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
}

export interface WordsScreen extends Place {
  readonly kind: 'words';
  readonly text: string;
  readonly phase: 'typing' | 'searching' | 'found' | 'failed';
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly told: string;
}

export interface ReaderScreen {
  readonly kind: 'reader';
  readonly title: string;
  readonly argv: readonly string[];
  readonly chat: ListedChat | undefined;
  readonly lines: readonly string[];
  readonly top: number;
  readonly isDone: boolean;
  readonly isCut: boolean;
  readonly find: string;
  readonly isFinding: boolean;
  /** Go to the first place of `find` as soon as it is there. */
  readonly seeks: boolean;
}

export interface Item {
  readonly key: string;
  readonly label: string;
  readonly note?: string;
  readonly action: Action;
}

export type Action =
  | { readonly kind: 'read'; readonly chat: ListedChat }
  | { readonly kind: 'resume'; readonly chat: ListedChat; readonly client: 'skein' | 'claude' }
  | { readonly kind: 'tree'; readonly chat: ListedChat }
  | { readonly kind: 'slim'; readonly chat: ListedChat }
  | { readonly kind: 'export-menu'; readonly chat: ListedChat }
  | { readonly kind: 'export'; readonly chat: ListedChat; readonly format: 'html' | 'md' | 'json' }
  | { readonly kind: 'restore'; readonly chat: ListedChat }
  | { readonly kind: 'status' }
  | { readonly kind: 'sync' }
  | { readonly kind: 'project'; readonly project: string | undefined }
  | { readonly kind: 'say'; readonly words: string };

export interface MenuScreen extends Place {
  readonly kind: 'menu';
  readonly title: string;
  readonly items: readonly Item[];
  /** Typing chooses among the items; without it keys do. */
  readonly filter: string | undefined;
}

export interface SlimScreen extends Place {
  readonly kind: 'slim';
  readonly chat: ListedChat;
  readonly before: number;
  readonly presets: readonly { readonly name: string; readonly tokens: number }[];
  readonly phase: 'measuring' | 'choose' | 'confirm' | 'writing';
}

export interface HelpScreen {
  readonly kind: 'help';
  readonly top: number;
}

export type Screen = WordsScreen | ReaderScreen | MenuScreen | SlimScreen | HelpScreen;

export interface Message {
  readonly tone: 'good' | 'warn' | 'bad' | 'dim';
  readonly text: string;
}

export interface State extends Place {
  readonly size: Size;
  readonly chats: readonly ListedChat[];
  readonly isDemo: boolean;
  readonly text: string;
  readonly project: string | undefined;
  readonly sort: Sort;
  /** Those that fit, in their order. */
  readonly shown: readonly ListedChat[];
  /** Above the list of chats; keys go to the last. */
  readonly screens: readonly Screen[];
  readonly preview: { readonly key: string; readonly lines: readonly string[] } | undefined;
  readonly message: Message | undefined;
  /** The work that is waited for; what earlier ones say is not heard any more. */
  readonly job: number;
  /** Milliseconds; ages that are typed count from here. */
  readonly now: number;
}

export type Event =
  | { readonly kind: 'key'; readonly key: string; readonly text: string }
  | { readonly kind: 'resize'; readonly size: Size }
  | { readonly kind: 'loaded'; readonly chats: readonly ListedChat[]; readonly isDemo: boolean; readonly now: number }
  | { readonly kind: 'previewed'; readonly key: string; readonly lines: readonly string[] }
  | { readonly kind: 'text'; readonly job: number; readonly lines: readonly string[]; readonly isCut: boolean }
  | { readonly kind: 'ended'; readonly job: number }
  | {
      readonly kind: 'found';
      readonly job: number;
      readonly hits: readonly Hit[];
      readonly total: number;
      readonly told: string;
    }
  | {
      readonly kind: 'measured';
      readonly job: number;
      readonly before: number;
      readonly presets: SlimScreen['presets'];
    }
  | { readonly kind: 'slimmed'; readonly job: number; readonly words: string }
  | { readonly kind: 'failed'; readonly job: number; readonly words: string }
  | { readonly kind: 'said'; readonly message: Message };

export type Effect =
  | {
      readonly kind: 'preview';
      readonly key: string;
      readonly chat: ListedChat;
      readonly turn: string | undefined;
      readonly width: number;
    }
  | { readonly kind: 'read'; readonly job: number; readonly argv: readonly string[]; readonly width: number }
  | { readonly kind: 'search'; readonly job: number; readonly words: string }
  | { readonly kind: 'measure'; readonly job: number; readonly chat: ListedChat }
  | { readonly kind: 'slim'; readonly job: number; readonly chat: ListedChat; readonly preset: string }
  /** In the foreground, with the terminal to itself. `waits`: for a key, before the chats are shown again. */
  | { readonly kind: 'run'; readonly argv: readonly string[]; readonly waits: boolean }
  | { readonly kind: 'resume'; readonly chat: ListedChat; readonly client: 'skein' | 'claude' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'reload' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'quit' };

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export interface Begin {
  readonly chats: readonly ListedChat[];
  readonly isDemo: boolean;
  readonly size: Size;
  readonly project: string | undefined;
  readonly now: number;
}

export function initialState({ chats, isDemo, size, project, now }: Begin): State {
  return {
    size,
    chats,
    isDemo,
    text: '',
    project,
    sort: 'updated',
    shown: chats,
    selected: 0,
    top: 0,
    screens: [],
    preview: undefined,
    message: undefined,
    job: 0,
    now,
  };
}
