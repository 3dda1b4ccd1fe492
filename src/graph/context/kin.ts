/** What the nodes of a file are to the messages on the chain. */
import type { Chain, ChainNode } from './node.ts';

/** A message on the chain: what is to be added to it, in file order. */
export interface Group {
  /** Which one it is on the chain. */
  readonly number: number;
  readonly added: ChainNode[];
  /** Results that hang elsewhere than on a line of the message, and what hangs on them. */
  readonly strays: Set<ChainNode>;
  /** Whether attachments and system lines that hang on it belong to it. */
  holds: boolean;
}

/** What is found out about the nodes of a file in relation to the messages on the chain. */
export interface Kinship {
  readonly chain: Chain;
  readonly onPath: ReadonlySet<ChainNode>;
  /** By message id. */
  readonly groups: Map<string, Group>;
  /**
   * By call of a message on the chain: the id of the message that makes it; of those that do where an id comes again, the
   * first in the file first.
   */
  readonly callers: Map<string, string | Set<string>>;
  /** By key of a line, a result, or what hangs on one. */
  readonly belongs: Map<string, Group>;
  /** What hangs beside an aside on the chain. */
  readonly behind: Map<ChainNode, ChainNode[]>;
  /** What comes after all that was said. */
  readonly last: ChainNode[];
}

/** To be added to the message, if it is not there. */
export function add({ onPath, belongs }: Kinship, group: Group, node: ChainNode): void {
  belongs.set(node.key, group);
  if (!onPath.has(node)) group.added.push(node);
}

export function messageIdOf({ entry }: ChainNode): string | undefined {
  return entry.kind === 'assistant' ? entry.head.message?.id || undefined : undefined;
}

export function isLine({ entry }: ChainNode): boolean {
  return entry.kind === 'assistant';
}

export function hasResults({ entry }: ChainNode): boolean {
  if (entry.kind !== 'user') return false;
  for (const { type, toolUseId } of entry.head.blocks) if (type === 'tool_result' && toolUseId) return true;
  return false;
}

/** Attachments and system lines: nobody said them. */
export function isNote({ entry }: ChainNode): boolean {
  return entry.kind === 'attachment' || entry.kind === 'system';
}

/** Notes, and what the client says in the person's place beside a result, such as the text of a skill. */
export function isAside(node: ChainNode): boolean {
  return isNote(node) || (node.entry.kind === 'user' && node.entry.head.isMeta && !hasResults(node));
}

/** What a command put out that the client itself carried out. */
export function isCommand({ entry }: ChainNode): boolean {
  return entry.kind === 'system' && entry.head.subtype === 'local_command';
}
