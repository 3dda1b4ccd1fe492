/** What can be done with a chat, and how each of it begins. */
import type { ListedChat } from '../chats.ts';
import { resumeOf } from '../serve/resume.ts';
import { chosen, projectsOf } from './choose.ts';
import type { Action, Effect, Item, MenuScreen, ReaderScreen, Screen, State, Step } from './state.ts';

export function menuFor(chat: ListedChat): MenuScreen {
  const { reason } = resumeOf(chat);
  const resume = (client: 'skein' | 'claude'): Action =>
    reason === null ? { kind: 'resume', chat, client } : { kind: 'say', words: reason };
  const note = reason === null ? {} : { note: 'not possible' };
  const isDisk = chat.file.source === undefined;
  const back: readonly Item[] =
    chat.file.source === 'archive'
      ? [{ key: 'b', label: 'Bring it back to disk', note: 'archive restore', action: { kind: 'restore', chat } }]
      : [];
  const slim: readonly Item[] = isDisk
    ? [{ key: 's', label: 'Slim', note: 'a new session with less in it', action: { kind: 'slim', chat } }]
    : [];
  const items: readonly Item[] = [
    { key: 'o', label: 'Open', note: 'read it', action: { kind: 'read', chat } },
    { key: 'r', label: 'Resume here', note: 'skein chat', ...note, action: resume('skein') },
    { key: 'c', label: 'Resume in Claude Code', note: 'claude', ...note, action: resume('claude') },
    { key: 't', label: 'Tree', note: 'sessions, branches, agents', action: { kind: 'tree', chat } },
    ...slim,
    { key: 'e', label: 'Export …', note: 'html, Markdown, JSON', action: { kind: 'export-menu', chat } },
    ...back,
    ...(chat.file.source === 'team' ? [] : ARCHIVE),
  ];
  return { kind: 'menu', title: chat.title ?? '(no prompt)', items, filter: undefined, selected: 0, top: 0 };
}

/** Of this machine. */
const ARCHIVE: readonly Item[] = [
  { key: 'a', label: 'Archive', note: 'what is kept', action: { kind: 'status' } },
  { key: 'y', label: 'Sync the archive', note: 'keep what is new', action: { kind: 'sync' } },
];

function exportMenu(chat: ListedChat): MenuScreen {
  const item = (key: string, label: string, note: string, format: 'html' | 'md' | 'json'): Item => ({
    key,
    label,
    note,
    action: { kind: 'export', chat, format },
  });
  const items = [
    item('h', 'HTML', 'one page, for a browser', 'html'),
    item('m', 'Markdown', 'to read and to paste', 'md'),
    item('j', 'JSON', 'for programs', 'json'),
  ];
  return {
    kind: 'menu',
    title: 'Export into this folder, secrets masked',
    items,
    filter: undefined,
    selected: 0,
    top: 0,
  };
}

export function projectMenu(state: State): MenuScreen {
  const every: Item = {
    key: '',
    label: 'All projects',
    note: String(state.chats.length),
    action: { kind: 'project', project: undefined },
  };
  const items = projectsOf(state.chats).map(
    ({ path, chats }): Item => ({
      key: '',
      label: path,
      note: String(chats),
      action: { kind: 'project', project: path },
    }),
  );
  return { kind: 'menu', title: 'Which project?', items: [every, ...items], filter: '', selected: 0, top: 0 };
}

export const READER = {
  kind: 'reader',
  chat: undefined,
  lines: [],
  top: 0,
  isDone: false,
  isCut: false,
  find: '',
  isFinding: false,
  seeks: false,
} as const satisfies Partial<ReaderScreen>;

/** Puts a screen on top and begins the work that fills it. */
export function opening(state: State, screen: Screen, effect: (job: number) => Effect): Step {
  const job = state.job + 1;
  return { state: { ...state, job, screens: [...state.screens, screen] }, effects: [effect(job)] };
}

export function opened(state: State, reader: ReaderScreen): Step {
  const { columns } = state.size;
  return opening(state, reader, (job) => ({ kind: 'read', job, argv: reader.argv, width: columns }));
}

export function readerOf(chat: ListedChat, more: readonly string[] = []): ReaderScreen {
  return { ...READER, title: chat.title ?? '(no prompt)', argv: ['show', chat.file.file, '--no-pager', ...more], chat };
}

/** It belongs to the package, and lies in folders that are not there. */
const NOT_FOR_DEMO: ReadonlySet<Action['kind']> = new Set(['resume', 'slim', 'sync', 'restore']);

/** The menu it was chosen from is gone by then. */
export function act(state: State, action: Action): Step {
  if (state.isDemo && NOT_FOR_DEMO.has(action.kind)) {
    const text = 'This is the demo set: there is nothing to go on with or to keep. Point Skein at your own sessions.';
    return { state: { ...state, message: { tone: 'warn', text } }, effects: [] };
  }
  switch (action.kind) {
    case 'read':
      return opened(state, readerOf(action.chat));
    case 'tree':
      return opened(state, {
        ...READER,
        title: `Tree: ${action.chat.title ?? '(no prompt)'}`,
        argv: ['tree', action.chat.file.file],
        chat: action.chat,
      });
    case 'status':
      return opened(state, { ...READER, title: 'Archive', argv: ['archive', 'status'] });
    case 'sync':
      return { state, effects: [{ kind: 'run', argv: ['archive', 'sync'], waits: true }] };
    case 'restore':
      return {
        state,
        effects: [{ kind: 'run', argv: ['archive', 'restore', action.chat.file.sessionId], waits: true }],
      };
    case 'resume':
      return { state, effects: [{ kind: 'resume', chat: action.chat, client: action.client }] };
    case 'export-menu':
      return { state: { ...state, screens: [...state.screens, exportMenu(action.chat)] }, effects: [] };
    case 'export':
      return {
        state,
        effects: [{ kind: 'run', argv: ['export', action.format, action.chat.file.file], waits: true }],
      };
    case 'slim':
      return opening(
        state,
        { kind: 'slim', chat: action.chat, before: 0, presets: [], phase: 'measuring', selected: 0, top: 0 },
        (job) => ({ kind: 'measure', job, chat: action.chat }),
      );
    case 'project':
      return { state: chosen({ ...state, project: action.project }), effects: [] };
    case 'say':
      return { state: { ...state, message: { tone: 'warn', text: action.words } }, effects: [] };
  }
}
