/** Every key that does something, for the help and for those who listen. */
export interface Key {
  readonly keys: readonly string[];
  readonly what: string;
}

export const KEYS: readonly { readonly where: string; readonly keys: readonly Key[] }[] = [
  {
    where: 'Everywhere',
    keys: [
      { keys: ['/'], what: 'Search all chats' },
      { keys: ['u'], what: 'Usage' },
      { keys: ['h'], what: 'List of chats' },
      { keys: ['f'], what: 'Filter the chats' },
      { keys: ['t'], what: 'Light or dark' },
      { keys: ['?'], what: 'This help' },
      { keys: ['Esc'], what: 'Close what is open' },
    ],
  },
  {
    where: 'In lists and results',
    keys: [
      { keys: ['↑', '↓'], what: 'Next or previous; j and k while no chat is open' },
      { keys: ['Enter'], what: 'Open' },
      { keys: ['n', 'N'], what: 'Next or previous search hit' },
    ],
  },
  {
    where: 'In a chat',
    keys: [
      { keys: ['j', 'k'], what: 'Next or previous prompt' },
      { keys: ['J', 'K'], what: 'Next or previous item' },
      { keys: ['g', 'G'], what: 'Beginning or end' },
      { keys: ['o', 'Enter'], what: 'Open or close the item' },
      { keys: ['n', 'N'], what: 'Next or previous search hit' },
      { keys: ['e', 'E'], what: 'Next or previous failure' },
      { keys: ['[', ']'], what: 'Previous or next branch' },
      { keys: ['m'], what: 'Map of branches, compactions and sub-agents' },
      { keys: ['w'], what: 'Timeline of the turn' },
      { keys: ['i'], what: 'Outline' },
      { keys: ['y'], what: 'Copy the item as Markdown' },
      { keys: ['l'], what: 'Copy a link to the item' },
      { keys: ['r'], what: 'Copy the command that resumes the chat' },
    ],
  },
];

/** Whether a key press is meant for the page: not for a field, not with a modifier. */
export function isCommand(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return true;
  return !target.isContentEditable && !['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}
