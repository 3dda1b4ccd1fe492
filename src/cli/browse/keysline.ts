/** The keys that work now, in the last line; at the width there is, the last ones are left out. */
import { displayWidth } from '../layout.ts';
import type { Look } from './look.ts';
import type { Screen, State } from './state.ts';

type Keys = readonly (readonly [key: string, what: string])[];

export function keysFor(state: State, { style }: Look): string {
  let line = '';
  let used = 0;
  for (const [key, what] of keysOf(state)) {
    const width = displayWidth(`${key} ${what}`) + (used === 0 ? 0 : 3);
    if (used + width > state.size.columns) break;
    line += `${used === 0 ? '' : style.dim(' · ')}${style.accent(key)} ${style.dim(what)}`;
    used += width;
  }
  return line;
}

/** The most useful first. */
function keysOf(state: State): Keys {
  const screen = state.screens.at(-1);
  switch (screen?.kind) {
    case undefined:
      return listKeys(state);
    case 'words':
      return wordsKeys(screen);
    case 'reader':
      return readerKeys(screen);
    case 'menu':
      return [
        ['Enter', screen.filter === undefined ? 'or its letter' : 'choose'],
        ['↑↓', 'go'],
        ['Esc', 'back'],
      ];
    case 'slim':
      return slimKeys(screen);
    case 'help':
      return [
        ['↑↓', 'go'],
        ['Esc', 'back'],
      ];
  }
}

function listKeys({ shown, text, project }: State): Keys {
  return [
    ['Enter', shown.length > 0 ? 'read' : 'search contents'],
    ['Tab', 'actions'],
    ['/', 'search'],
    ['?', 'keys'],
    ['Esc', text !== '' ? 'clear' : project !== undefined ? 'all projects' : 'leave'],
    ['Ctrl-F', 'project'],
    ['Ctrl-S', 'sort'],
    ['type', 'to choose by name'],
  ];
}

function wordsKeys({ phase, hits }: Extract<Screen, { kind: 'words' }>): Keys {
  if (phase !== 'found' || hits.length === 0) {
    return [
      ['Enter', 'search'],
      ['Esc', phase === 'searching' ? 'stop' : 'back'],
    ];
  }
  return [
    ['Enter', 'read it there'],
    ['Tab', 'actions'],
    ['Esc', 'back'],
    ['type', 'for other words'],
  ];
}

function readerKeys({ isFinding, chat, argv, find }: Extract<Screen, { kind: 'reader' }>): Keys {
  if (isFinding) {
    return [
      ['Enter', 'find'],
      ['Esc', 'back'],
    ];
  }
  const isShow = argv[0] === 'show';
  const branches: Keys = argv[0] === 'tree' ? [['1–9', 'read that branch']] : [];
  const whole: Keys = isShow && argv.includes('--turn') ? [['o', 'whole chat']] : [];
  const actions: Keys = chat === undefined ? [] : [['Tab', 'actions']];
  const more: Keys = isShow
    ? [
        ['v', argv.includes('--tools') ? 'short calls' : 'whole calls'],
        ['h', argv.includes('--thinking') ? 'no thinking' : 'thinking'],
      ]
    : [];
  return [
    ['q', 'back'],
    ...whole,
    ...branches,
    ['/', 'find'],
    ...(find === '' ? [] : ([['n', 'next']] as const)),
    ...actions,
    ...more,
    ['?', 'keys'],
  ];
}

function slimKeys({ phase }: Extract<Screen, { kind: 'slim' }>): Keys {
  if (phase === 'measuring' || phase === 'writing') return phase === 'writing' ? [] : [['Esc', 'back']];
  if (phase === 'confirm') {
    return [
      ['y', 'write it'],
      ['Esc', 'no'],
    ];
  }
  return [
    ['Enter', 'choose'],
    ['↑↓', 'go'],
    ['Esc', 'back'],
  ];
}
