/** Our hook in the client's settings.json: added beside what is there and taken out again, nothing else is changed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'jsonc-parser';
import { writeFileAtomic } from '../../disk/durable.ts';
import { DiskError } from '../../disk/errors.ts';
import type { Change, ChangeOptions, ConfigQuery } from '../mcp/install.ts';
import { freeName, readText } from '../mcp/install.ts';
import { appendTo, removeFrom, styleOf, treeOf } from './jsontext.ts';

/** Stop ends a turn; the others are for what has no Stop: agents in the background, a session left, one taken up, one compacted. */
export const EVENTS = ['Stop', 'SubagentStop', 'SessionStart', 'SessionEnd', 'PreCompact'] as const;

/** Whatever the way it is called: by name, by path, quoted or not. */
const OURS = /\bskein["']?\s+hook\s+run\b/;

export function isOurs(command: string): boolean {
  return OURS.test(command);
}

export function userSettings({ env, home }: ConfigQuery): string {
  return join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json');
}

/** Of one person in one project: the command holds paths of this machine, so it is not for others to have. */
export function projectSettings(folder: string): string {
  return join(folder, '.claude', 'settings.local.json');
}

export interface HookEntry {
  readonly event: string;
  readonly command: string;
}

/** Ours, by event. Throws DiskError when the file cannot be read or understood. */
export function hooksIn(file: string): HookEntry[] {
  if (!existsSync(file)) return [];
  return found(rootOf(file, readText(file))).map(({ event, command }) => ({ event, command }));
}

/** Afterwards there is one of ours for each event, with this command. */
export function addHooks(file: string, command: string, timeout: number, options: ChangeOptions): Change {
  return change(file, options, (text) => {
    const present = found(rootOf(file, text));
    const isAsked = EVENTS.every(
      (event) => present.filter((each) => each.event === event && each.command === command).length === 1,
    );
    if (isAsked && present.length === EVENTS.length) return text;
    return EVENTS.reduce((now, event) => withHook(file, now, event, command, timeout), withoutHooks(file, text));
  });
}

export function removeHooks(file: string, options: ChangeOptions): Change {
  return existsSync(file)
    ? change(file, options, (text) => withoutHooks(file, text))
    : { file, changed: false, backup: undefined };
}

/** Throws DiskError; the file is then as it was. */
function change(file: string, { dryRun }: ChangeOptions, edit: (text: string) => string): Change {
  const before = existsSync(file) ? readText(file) : undefined;
  const text = before === undefined || before.trim() === '' ? '{}\n' : before;
  const edited = edit(text);
  if (edited === text) return { file, changed: false, backup: undefined };
  const backup = before === undefined ? undefined : freeName(`${file}.before-skein`);
  if (!dryRun) {
    if (backup !== undefined && before !== undefined)
      writeFileAtomic(backup, Buffer.from(before), { mode: 0o600, exclusive: true });
    writeFileAtomic(file, Buffer.from(edited));
  }
  return { file, changed: true, backup };
}

function withHook(file: string, text: string, event: string, command: string, timeout: number): string {
  const { eol, unit } = styleOf(text);
  const written = (value: unknown) => (indent: string) =>
    JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
  const member = (name: string, value: unknown) => (indent: string) =>
    `${JSON.stringify(name)}: ${written(value)(indent)}`;
  const group = { hooks: [{ type: 'command', command, timeout }] };
  const root = rootOf(file, text);
  const hooks = memberOf(root, 'hooks');
  if (hooks === undefined) return appendTo(text, root, member('hooks', { [event]: [group] }));
  const groups = memberOf(hooks, event);
  if (groups === undefined) return appendTo(text, hooks, member(event, [group]));
  return appendTo(text, groups, written(group));
}

/** One after the other, since each moves what follows it. What is left empty goes too. */
function withoutHooks(file: string, text: string): string {
  for (let now = text; ; ) {
    const root = rootOf(file, now);
    const [first] = found(root);
    if (first === undefined) return now;
    let doomed = first.hook;
    for (const up of [first.group, first.groups, memberOf(root, 'hooks')]) {
      const list = doomed.parent;
      if (up === undefined || list?.children?.length !== 1) break;
      // A value goes with its name.
      doomed = up.parent?.type === 'property' ? up.parent : up;
    }
    if (doomed.parent === undefined) return now;
    now = removeFrom(now, doomed.parent, doomed);
  }
}

interface FoundHook extends HookEntry {
  readonly hook: Node;
  readonly group: Node;
  readonly groups: Node;
}

function found(root: Node): FoundHook[] {
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
function memberOf(node: Node | undefined, name: string): Node | undefined {
  return membersOf(node).findLast(([each]) => each === name)?.[1];
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'array' ? (node.children ?? []) : [];
}

function rootOf(file: string, text: string): Node {
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

function unlike(file: string, why: string): DiskError {
  const next = 'It was not touched. Mend it and try again, or add the hook by hand as docs/hook.md shows.';
  return new DiskError({ what: `cannot change the settings: ${why}`, where: file, next });
}
