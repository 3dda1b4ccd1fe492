/**
 * Who worked here: home folders and user names. `/home/alice/x` is `~/x` to someone else, `alice@host` is `user@host`. A name is
 * taken out where it stands as a user's: a word that happens to be one stays.
 */
import { maskPaths } from './paths.ts';

export interface People {
  /** Home folders as they are spelled, for those that `/home/NAME` and the like do not cover. */
  readonly homes: readonly string[];
  readonly names: readonly string[];
}

/** Accounts of machines, not of people. */
const ACCOUNTS = new Set(
  'root user users ubuntu debian fedora admin administrator git node app runner runneradmin circleci vscode codespace gitpod ec2-user www-data nobody daemon home me linuxbrew vagrant pi docker jenkins guest default public shared staff wheel postgres mysql nginx build ci dev test tmp'.split(
    ' ',
  ),
);

/** More would only be read out of listings of other machines. */
const MOST_NAMES = 200;

const NAME = '[A-Za-z_][\\w.-]{1,31}';
/** `USER=al` */
const SHORTEST = 7;
const PERMISSIONS = '[bcdlps-][rwxsStT-]{9}[.+@]?';

const LISTED = /[rwxsStT-]{9}[.+@]?\s{1,8}\d/;

/** Where a text tells a user's name, and what it holds if it does: looking for that takes a tenth of the time. */
const TELLING: readonly { readonly holds: (text: string) => boolean; readonly pattern: RegExp }[] = [
  // In a home folder.
  {
    holds: (text) => text.includes('/home') || text.includes('Users'),
    pattern: telling(
      `(?<![\\w.~-])(?:\\/home|\\/Users|[A-Za-z]:(?:\\\\{1,4}|\\/)Users|\\/mnt\\/[a-z]\\/Users)(?:\\\\{1,4}|\\/)(${NAME})`,
    ),
  },
  // As owner and group in `ls -l`.
  {
    holds: isListing,
    pattern: telling(`^${PERMISSIONS}\\s{1,8}\\d{1,6}\\s{1,8}(${NAME})\\s`),
  },
  {
    holds: isListing,
    pattern: telling(`^${PERMISSIONS}\\s{1,8}\\d{1,6}\\s{1,8}\\S{1,40}\\s{1,8}(${NAME})\\s`),
  },
  // In a shell's prompt.
  {
    holds: (text) => text.includes('@'),
    pattern: telling(`^(${NAME})@[\\w.-]{1,60}:[~/][^\\n$#]{0,200}[$#] `),
  },
  {
    holds: (text) => text.includes('USER') || text.includes('LOGNAME'),
    pattern: telling(`\\b(?:USER|LOGNAME|SUDO_USER|USERNAME)=["']?(${NAME})`),
  },
];

function telling(source: string): RegExp {
  return new RegExp(source, 'gm');
}

function isListing(text: string): boolean {
  return LISTED.test(text);
}

export function namesIn(text: string): string[] {
  if (text.length < SHORTEST) return [];
  const fitting = TELLING.filter(({ holds }) => holds(text));
  const names = fitting.flatMap(({ pattern }) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
  return [...new Set(names.map((name) => name.replace(/[.-]+$/, '')).filter(isPerson))];
}

function isPerson(name: string): boolean {
  return name.length > 1 && !ACCOUNTS.has(name.toLowerCase());
}

/** The home folder that a path lies in. The path is all of the text, so the name may hold spaces. */
export function homeOf(path: string): string | undefined {
  const home = /^(?:\/home|\/Users|[A-Za-z]:[\\/]Users|\/mnt\/[a-z]\/Users)[\\/][^\\/\n]{1,64}/.exec(path)?.[0];
  return home === undefined || /[\\/](?:Shared|Public|Default)$/.test(home) ? undefined : home;
}

export function peopleMask({ homes, names }: People): (text: string) => string {
  const folders = [...new Set(homes)].filter((home) => home.length > 3).toSorted((a, b) => b.length - a.length);
  const own = folders.flatMap((home) => spellingsOf(home));
  const pattern = placesOf([...new Set([...names, ...folders.map(lastPart)])].filter(isPerson).slice(0, MOST_NAMES));
  return (text) => {
    let masked = text;
    for (const [spelling, by] of own) if (masked.includes(spelling)) masked = replaceWhole(masked, spelling, by);
    masked = maskPaths(masked);
    return pattern === undefined ? masked : masked.replace(pattern, (_, before = '') => (before ? '~' : 'user'));
  };
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? '';
}

/** As it is, with backslashes doubled as in a text of JSON, in a URL, and as the client names project folders. */
function spellingsOf(home: string): (readonly [string, string])[] {
  return [
    [home, '~'],
    [home.replaceAll('\\', '\\\\'), '~'],
    [home.replaceAll('\\', '/'), '~'],
    [encodeURIComponent(home), '~'],
    [encodeURI(home.replaceAll('\\', '/')), '~'],
    [home.replace(/[^A-Za-z0-9]/g, '-'), '-home-user'],
  ];
}

/** Only where the path ends or goes on below: /home/al is not part of /home/alice. */
function replaceWhole(text: string, path: string, by: string): string {
  return text.split(path).reduce((done, part) => done + (/^[A-Za-z0-9_]/.test(part) ? path : by) + part);
}

/** The first group is a home folder in a place `maskPaths` does not know, such as the middle of a path; else a name stands alone. */
function placesOf(names: readonly string[]): RegExp | undefined {
  if (names.length === 0) return undefined;
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  const name = `(?:${longestFirst.map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})(?![\\w-])`;
  const separator = '(?:\\\\{1,4}|\\/|%2[fF]|%5[cC])';
  const places = [
    `(${separator}(?:home|Users)${separator}|~(?=\\w))${name}`,
    `(?<![\\w.-])${name}(?=@\\w)`,
    // Owner and group of `ls -l`.
    `(?<=^${PERMISSIONS}\\s{1,8}\\d{1,6}\\s{1,8}(?:\\S{1,40}\\s{1,8})?)${name}(?=\\s)`,
    // `ps aux`, `id`, `chown`.
    `^${name}(?=\\s{1,20}\\d{1,8}\\s{1,8}\\d{1,3}\\.\\d\\s)`,
    `(?<=\\d\\()${name}(?=\\))`,
    `(?<=\\bchown\\s(?:-\\w{1,10}\\s)?)${name}`,
    `(?<=\\bchown\\s(?:-\\w{1,10}\\s)?\\w{1,40}:)${name}`,
    `(?<=\\b(?:USER|LOGNAME|SUDO_USER|USERNAME|[uU]ser|[oO]wner|[uU]ser_?[nN]ame)["']?\\s?[=:]\\s?["']?)${name}`,
    `(?<=\\/(?:media|mail|crontabs|Volumes)\\/)${name}`,
    // `alice/fix-login`: a git branch, or whose repository it is.
    `(?<![\\w./\\\\@~-])${name}(?=\\/\\w)`,
    `(?<=\\bgit(?:hub|lab)\\.com[/:])${name}`,
  ];
  return new RegExp(places.join('|'), 'gm');
}
