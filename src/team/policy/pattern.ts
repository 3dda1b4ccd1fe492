/** The patterns of a policy, as in .gitignore: what they fit, and which of them cannot be followed. */
import { posix } from 'node:path';
import ignore from 'ignore';
import type { Surroundings } from './surroundings.ts';

export interface Fits {
  /** As it is written. */
  readonly asWritten: (path: string) => boolean;
  /** Also where its links lead. */
  readonly inAnyReading: (path: string) => boolean;
}

const isCaseless = process.platform === 'darwin' || process.platform === 'win32';

/**
 * A folder stands for all that is in it. `~` is the home folder; what does not begin at the root fits anywhere. Where it is to
 * deny, what differs in case alone fits too, and a pattern that can be read in several ways is read in all of them.
 */
export function toFits(pattern: string, to: 'allow' | 'deny', home: string, { realPath, homes }: Surroundings): Fits {
  const own = [home, realPath(home)];
  const standsFor = (to === 'deny' ? [...own, ...homes()] : own).map(escaped).concat(to === 'deny' ? HOMES : []);
  const isHome = pattern === '~' || /^~[/\\]/.test(pattern);
  const written = readings(pattern, to).flatMap((each) =>
    isHome ? standsFor.map((folder) => folder + each.slice(1)) : [each],
  );
  const resolved = written.flatMap((each) => whereLinksLead(each, realPath));
  return { asWritten: matcher(written, to), inAnyReading: matcher([...written, ...resolved], to) };
}

/** Where people live: a session may come from another machine, or of another user of this one. */
const HOMES = ['/home/*', '/var/home/*', '/Users/*', '/root', '/var/root', '/?/Users/*', '/mnt/?/Users/*'];

/** No folder is so deep, and looking at each above it would not end well. Whoever says it was in one stays here. */
const DEEPEST = 1000;

function matcher(written: readonly string[], to: 'allow' | 'deny'): (path: string) => boolean {
  const patterns = [...new Set(written.map(toRule))];
  const rules = ignore({ ignorecase: to === 'deny' || isCaseless, allowRelativePaths: true }).add(patterns);
  // All is below the root, and the root is in nothing.
  const hasRoot = patterns.some(to === 'deny' ? fitsAll : (each) => each === '/**');
  return (path) => {
    const relative = toRelative(path);
    if (relative.split('/').length > DEEPEST) return to === 'deny';
    return relative === '' ? hasRoot : rules.ignores(relative);
  };
}

/** Whatever is right below the root, and so all. */
function fitsAll(rule: string): boolean {
  const folders = rule.split('/').filter((each) => !/^(?:\*{2,})?$/.test(each));
  return folders.length === 0 || (folders.length === 1 && folders[0] === '*');
}

/** With slashes. To deny, brackets are also what they are in a name: `[id]` is a folder that many have. */
function readings(pattern: string, to: 'allow' | 'deny'): string[] {
  if (to === 'allow') return [plainReading(pattern)];
  return [plainReading(pattern), toSlashes(pattern)].flatMap((each) => [each, withBrackets(each)]);
}

/** A backslash before a sign parts folders in a path of Windows, and elsewhere takes its meaning from the sign. */
function plainReading(pattern: string): string {
  const isOfWindows = process.platform === 'win32' || /^(?:[A-Za-z]:|\\\\|~\\)/.test(pattern);
  return isOfWindows ? toSlashes(pattern) : pattern.replace(/\\(?![[\]*?!# ])/g, '/');
}

function toSlashes(pattern: string): string {
  return pattern.replaceAll('\\', '/');
}

function withBrackets(reading: string): string {
  return reading.replace(/\\.|[[\]]/gs, (sign) => (sign.length > 1 ? sign : `\\${sign}`));
}

/** What stands before the first sign is a path, and may pass through links. */
function whereLinksLead(reading: string, realPath: (path: string) => string): string[] {
  const sign = [...reading.matchAll(/\\.|[*?[]/gs)].find(([found]) => found.length === 1);
  const end = sign === undefined ? reading.length : Math.max(0, reading.lastIndexOf('/', sign.index));
  const path = reading.slice(0, end).replace(/\\(.)/gs, '$1');
  const real = path === '' ? path : realPath(path);
  return real === path ? [] : [escaped(real) + reading.slice(end)];
}

function escaped(path: string): string {
  return path.replace(/[[\]*?!# \\]/g, (sign) => (sign === '\\' ? '/' : `\\${sign}`));
}

function toRule(reading: string): string {
  const slashed = posix.normalize(reading.replace(/^([A-Za-z]):/, '/$1').normalize('NFC'));
  const bare = slashed.replace(/(?:\/\*\*)+\/?$/, '').replace(/\/+$/, '');
  if (bare === '' || bare === '**') return '/**';
  return bare.startsWith('/') || bare.startsWith('**/') ? bare : `**/${bare}`;
}

function toRelative(path: string): string {
  const slashed = path.replaceAll('\\', '/').replace(/^([A-Za-z]):/, '/$1');
  return posix.normalize(`/${slashed.normalize('NFC')}`).replace(/^\/+|\/+$/g, '');
}

export interface Fault {
  readonly why: string;
  readonly next?: string;
}

/** Why a pattern would fit nothing, or less than it seems to. */
export function faultOf(pattern: string): Fault | undefined {
  const reading = plainReading(pattern);
  if (reading.replace(QUOTED_OR_BRACKETS, '').includes('[')) {
    const why = 'in which a "[" begins no set of signs: it is not closed in the same name, or has an unknown class';
    return { why, next: 'Close it with "]", or write "[[]" for the sign itself.' };
  }
  if (pattern === '' || UNSURE.test(pattern) || leadsOut(pattern)) return { why: 'which is no path or pattern' };
  if (ENDS_IN_SPACE.test(reading)) {
    const why = 'in which the name of a folder ends in a space';
    return { why, next: 'Take the space away, or write "[ ]" if the folder is called so.' };
  }
  return undefined;
}

const CLASSES = 'alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit';
const MEMBER = String.raw`(?:\\.|\[:(?:${CLASSES}):\]|\[(?!:[^\]]*:\])|[^\]\[\\/])`;
/** As .gitignore has it: a "]" that comes first is one of the signs, and a class that is not known fits nothing. */
const QUOTED_OR_BRACKETS = new RegExp(String.raw`\\.|\[(?:[!^]|(?![!^]))(?:\]|${MEMBER})${MEMBER}*\]`, 'gs');

/** Seems to name a folder and would fit none: other people's homes, variables, spaces around it. */
const UNSURE = /^(?:[!#$%\s]|~[^/\\])|[\r\n\0]/;

/** .gitignore drops it at the end, and keeps it elsewhere. */
const ENDS_IN_SPACE = /(?<!\\)\s(?:\/|$)/;

function leadsOut(pattern: string): boolean {
  return /^\.\.?(?:\/|$)/.test(posix.normalize(toSlashes(pattern)));
}
