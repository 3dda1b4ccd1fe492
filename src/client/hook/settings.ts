/** Our hook in the client's settings.json: added beside what is there and taken out again, nothing else is changed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'jsonc-parser';
import type { Change, ChangeOptions, ConfigQuery } from '../mcp/install.ts';
import { appendTo, hasCommentAround, removeFrom, replaced, styleOf } from './jsontext.ts';
import { change, namesBefore, settingsText, textsBefore } from './settingsfile.ts';
import { EVENTS, type FoundHook, found, type HookEntry, memberOf, rootOf } from './settingstree.ts';

export { EVENTS, isOurs } from './settingstree.ts';

export function userSettings({ env, home }: ConfigQuery): string {
  return join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json');
}

/** Of one person in one project: the command holds paths of this machine, so it is not for others to have. */
export function projectSettings(folder: string): string {
  return join(folder, '.claude', 'settings.local.json');
}

/** All that the client reads in a folder; the one that a project shares may have a hook that someone wrote by hand. */
export function settingsRead(query: ConfigQuery, folder: string): string[] {
  const shared = join(folder, '.claude', 'settings.json');
  return [...new Set([userSettings(query), shared, projectSettings(folder)])];
}

/** Ours, by event. Throws DiskError when the file cannot be read or understood. */
export function hooksIn(file: string): HookEntry[] {
  const text = settingsText(file);
  if (text === undefined) return [];
  return found(rootOf(file, text)).map(({ event, command }) => ({ event, command }));
}

/** Afterwards there is one of ours for each event, with this command. */
export function addHooks(file: string, command: string, timeout: number, options: ChangeOptions): Change {
  return change(file, options, (text) => added(file, text, command, timeout));
}

function added(file: string, text: string, command: string, timeout: number): string {
  const present = found(rootOf(file, text));
  const isAsked = EVENTS.every(
    (event) => present.filter((each) => each.event === event && each.command === command).length === 1,
  );
  if (isAsked && present.length === EVENTS.length) return text;
  const single = withoutHooks(file, text, surplusIn);
  return EVENTS.reduce((now, event) => withHook(file, now, event, command, timeout), single);
}

/** All but the first of each event; of events that are not ours to hear, all. */
function surplusIn(hooks: readonly FoundHook[]): FoundHook[] {
  const firsts = EVENTS.map((event) => hooks.find((each) => each.event === event));
  return hooks.filter((each) => !firsts.includes(each));
}

export function removeHooks(file: string, options: ChangeOptions): Change {
  return existsSync(file)
    ? change(file, options, (text) => taken(file, text))
    : { file, changed: false, backup: undefined };
}

/** Where nothing was changed since, the file is again what it was to the byte: what stood on one line does so again. */
function taken(file: string, text: string): string {
  const [first] = found(rootOf(file, text));
  const timeout: unknown = memberOf(first?.hook, 'timeout')?.value;
  const isSame = (before: string) =>
    first !== undefined && typeof timeout === 'number' && added(file, before, first.command, timeout) === text;
  return textsBefore(file).find(isSame) ?? withoutHooks(file, text);
}

/** One that is there is changed in its place: what stands around it, and in it beside ours, is not touched. */
function withHook(file: string, text: string, event: string, command: string, timeout: number): string {
  const { eol, unit } = styleOf(text);
  const written = (value: unknown) => (indent: string) =>
    JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
  const member = (name: string, value: unknown) => (indent: string) =>
    `${JSON.stringify(name)}: ${written(value)(indent)}`;
  const ownIn = (now: string) => found(rootOf(file, now)).find((each) => each.event === event)?.hook;
  const own = ownIn(text);
  if (own !== undefined) {
    const old = memberOf(own, 'timeout');
    const timed =
      old === undefined ? appendTo(text, own, member('timeout', timeout)) : replaced(text, old, `${timeout}`);
    const called = memberOf(ownIn(timed), 'command');
    return called === undefined ? timed : replaced(timed, called, JSON.stringify(command));
  }
  const group = { hooks: [{ type: 'command', command, timeout }] };
  const root = rootOf(file, text);
  const hooks = memberOf(root, 'hooks');
  if (hooks === undefined) return appendTo(text, root, member('hooks', { [event]: [group] }));
  const groups = memberOf(hooks, event);
  if (groups === undefined) return appendTo(text, hooks, member(event, [group]));
  return appendTo(text, groups, written(group));
}

/** One after the other, since each moves what follows it. */
function withoutHooks(
  file: string,
  text: string,
  chosen: (hooks: readonly FoundHook[]) => readonly FoundHook[] = (hooks) => hooks,
): string {
  const before = namesBefore(file);
  for (let now = text; ; ) {
    const root = rootOf(file, now);
    const [first] = chosen(found(root));
    const doomed = first && goneWith(first, memberOf(root, 'hooks'), now, before);
    if (doomed?.parent === undefined) return now;
    now = removeFrom(now, doomed.parent, doomed);
  }
}

/** The hook with what we made around it. What holds anything else, a comment too, or was there before us, stays, if only empty. */
function goneWith(
  { hook, group, groups, event }: FoundHook,
  hooks: Node | undefined,
  text: string,
  before: ReadonlySet<string>,
): Node {
  const around = [
    { up: group, isOurs: group.children?.length === 1 },
    { up: groups, isOurs: !before.has(`hooks.${event}`) },
    { up: hooks, isOurs: !before.has('hooks') },
  ];
  let doomed = hook;
  for (const { up, isOurs } of around) {
    if (up === undefined || !isOurs || doomed.parent?.children?.length !== 1) break;
    // A value goes with its name.
    const whole = up.parent?.type === 'property' ? up.parent : up;
    if (hasCommentAround(text, whole, doomed)) break;
    doomed = whole;
  }
  return doomed;
}
