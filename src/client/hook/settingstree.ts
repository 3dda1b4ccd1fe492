/** What stands in the client's settings, and which of it is ours. */
import type { Node } from 'jsonc-parser';
import { DiskError } from '../../disk/errors.ts';
import { treeOf } from './jsontext.ts';

/** Stop ends a turn; the others are for what has no Stop: agents in the background, a session left, one taken up, one compacted. */
export const EVENTS = ['Stop', 'SubagentStop', 'SessionStart', 'SessionEnd', 'PreCompact'] as const;

const NODE = /^node(?:js)?[\d.]*(?:\.exe)?$/i;
const SKEIN = /^skein(?:\.exe|\.cmd)?$/i;

/** By name or by path, quoted or not, with variables set before it, and through Node: but it is what runs, not a word given to another. */
export function isOurs(command: string): boolean {
  const words = (command.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"])+/g) ?? []).map((word) => word.replace(/['"]/g, ''));
  let at = words.findIndex((word) => !/^\w+=/.test(word));
  if (NODE.test(nameOf(words[at])) || words[at] === process.execPath)
    at = words.findIndex((word, place) => place > at && !word.startsWith('-'));
  return SKEIN.test(nameOf(words[at])) && words[at + 1] === 'hook' && words[at + 2] === 'run';
}

function nameOf(path = ''): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

export interface HookEntry {
  readonly event: string;
  readonly command: string;
}

export interface FoundHook extends HookEntry {
  readonly hook: Node;
  readonly group: Node;
  readonly groups: Node;
}

/** Ours, in their order. */
export function found(root: Node): FoundHook[] {
  return membersOf(memberOf(root, 'hooks')).flatMap(([event, groups]) =>
    itemsOf(groups).flatMap((group) =>
      itemsOf(memberOf(group, 'hooks')).flatMap((hook) => {
        const command: unknown = memberOf(hook, 'command')?.value;
        return typeof command === 'string' && isOurs(command) ? [{ event, command, hook, group, groups }] : [];
      }),
    ),
  );
}

function membersOf(node: Node | undefined): [string, Node][] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children: [name, value] = [] }) =>
    name && value ? [[String(name.value), value] satisfies [string, Node]] : [],
  );
}

/** Of members with one name the last counts, as for JSON.parse. */
export function memberOf(node: Node | undefined, name: string): Node | undefined {
  return membersOf(node).findLast(([each]) => each === name)?.[1];
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'array' ? (node.children ?? []) : [];
}

/** Throws DiskError where it is nothing that we can change. */
export function rootOf(file: string, text: string): Node {
  const tree = treeOf(text);
  if (typeof tree === 'string') throw unlike(file, `it is not JSON: ${tree}`);
  if (tree.type !== 'object') throw unlike(file, 'it is not an object');
  const hooks = memberOf(tree, 'hooks');
  if (hooks !== undefined && hooks.type !== 'object') throw unlike(file, '"hooks" is not an object');
  for (const event of EVENTS) {
    const groups = memberOf(hooks, event);
    if (groups !== undefined && groups.type !== 'array') throw unlike(file, `"hooks.${event}" is not a list`);
  }
  return tree;
}

/** What is wrong with a file that is named beside it. */
export function whatIn(error: unknown): string {
  if (error instanceof DiskError) return error.what;
  return error instanceof Error ? error.message : String(error);
}

export function unlike(file: string, why: string): DiskError {
  const next = 'It was not touched. Mend it and try again, or add the hook by hand as docs/hook.md shows.';
  return new DiskError({ what: `cannot change the settings: ${why}`, where: file, next });
}
