/** Every key, as the help shows it. */

export interface HelpPart {
  readonly title: string;
  readonly keys: readonly (readonly [key: string, what: string])[];
}

export const HELP: readonly HelpPart[] = [
  {
    title: 'All chats',
    keys: [
      ['type', 'choose by title, project, git branch or id; also project:NAME after:7d before:DATE'],
      ['↑ ↓ PgUp PgDn', 'go through the list'],
      ['Enter', 'read the chat; with no chat left, search what was said'],
      ['Tab', 'what can be done with it: resume, tree, slim, export, archive'],
      ['/', 'search what was said in all chats'],
      ['Ctrl-F', 'one project'],
      ['Ctrl-S', 'another order'],
      ['Ctrl-R', 'look again'],
      ['Esc', 'take back what was typed, then leave'],
    ],
  },
  {
    title: 'Reading',
    keys: [
      ['↑ ↓ Space b', 'by line, by page'],
      ['g G', 'beginning, end'],
      ['/ n N', 'find, next, the one before'],
      ['v', 'tool calls with all they did, or one line each'],
      ['h', 'with thinking, or without'],
      ['o', 'from a hit to the whole chat'],
      ['1–9', 'in the tree: read that branch'],
      ['Tab', 'what can be done with it'],
      ['q Esc', 'back'],
    ],
  },
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl-C', 'leave'],
      ['Ctrl-Z', 'leave for now; fg comes back'],
    ],
  },
  {
    title: 'Marks',
    keys: [
      ['●', 'live: written to within two minutes'],
      ['·', 'kept in the archive as it is'],
      ['◇', 'only in the archive'],
      ['○', 'only its prompts are left'],
      ['⑂', 'forked: several conversations go on from it'],
    ],
  },
];
