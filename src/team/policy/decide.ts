/** Whether a session may leave, and which rule says so. */
import { realpathSync } from 'node:fs';
import { posix } from 'node:path';
import ignore from 'ignore';
import type { Policy } from './types.ts';

export interface Decision {
  readonly allowed: boolean;
  /** In words, with the file that says it. */
  readonly why: string;
  /** Of a session that is held back: which kind of rule. */
  readonly rule: 'allowed' | 'denied' | 'not-allowed' | 'unknown-project';
}

export interface Decider {
  /** `cwds`: every folder that any line of the session, its agents included, was in. `project`: its path; undefined when no line tells one. */
  session(project: string | undefined, cwds: Iterable<string>): Decision;
  /** A line of this folder is never sent. */
  isDenied(cwd: string): boolean;
  /** The class a project is kept in. */
  retention(project: string | undefined): string;
}

const STANDARD = 'standard';

export function createDecider(policy: Policy, home: string): Decider {
  const homes = [...new Set([home, realPath(home)])];
  const rules = policy.files.map((file) => ({
    path: file.path,
    allow: file.allow?.map((pattern) => [pattern, matcher(pattern, homes, 'allow')] as const),
    deny: file.deny.map((pattern) => [pattern, matcher(pattern, homes, 'deny')] as const),
  }));
  // What a managed file says of all others goes before what the user's says of some.
  const retention = policy.files.flatMap((file) => {
    const rest = file.retention.filter(([pattern]) => pattern === 'default');
    const some = file.retention.filter(([pattern]) => pattern !== 'default');
    return [
      ...some.map(([pattern, kept]) => ({ kept, fits: matcher(pattern, homes, 'allow') })),
      ...rest.map(([, kept]) => ({ kept, fits: undefined })),
    ];
  });
  const known = new Map<string, Decision>();

  function folder(cwd: string): Decision {
    const before = known.get(cwd);
    if (before !== undefined) return before;
    const forms = [...new Set([cwd, realPath(cwd)])];
    const decision = decide(forms, cwd);
    known.set(cwd, decision);
    return decision;
  }

  function decide(forms: readonly string[], cwd: string): Decision {
    for (const { path, deny } of rules) {
      const rule = deny.find(([, fits]) => forms.some(fits));
      if (rule) return { allowed: false, rule: 'denied', why: `${cwd} is denied by "${rule[0]}" in ${path}` };
    }
    const whys: string[] = [];
    for (const { path, allow } of rules) {
      if (allow === undefined) continue;
      const rule = allow.find(([, fits]) => fits(cwd));
      if (!rule) return { allowed: false, rule: 'not-allowed', why: `${cwd} is not among the allowed of ${path}` };
      whys.push(`"${rule[0]}" in ${path}`);
    }
    const why = whys.length > 0 ? `allowed by ${whys.join(' and ')}` : 'no rule denies it';
    return { allowed: true, rule: 'allowed', why };
  }

  const hasRules = rules.some(({ allow, deny }) => allow !== undefined || deny.length > 0);
  return {
    session(project, cwds) {
      const all = [...new Set(project === undefined ? cwds : [project, ...cwds])];
      if (all.length === 0 && hasRules) {
        const why = 'no line says which project it is of, so no rule can allow it';
        return { allowed: false, rule: 'unknown-project', why };
      }
      const decisions = all.map(folder);
      // Also one that only wandered there.
      const held = decisions.find(({ rule }) => rule === 'denied') ?? decisions.find(({ allowed }) => !allowed);
      return held ?? decisions[0] ?? { allowed: true, rule: 'allowed', why: 'no rule denies it' };
    },
    isDenied: (cwd) => cwd !== '' && !folder(cwd).allowed,
    retention(project) {
      const rule = retention.find(({ fits }) => fits === undefined || (project !== undefined && fits(project)));
      return rule?.kept ?? STANDARD;
    },
  };
}

const isCaseless = process.platform === 'darwin' || process.platform === 'win32';

/**
 * As in .gitignore: a folder stands for all that is in it. `~` is the home folder; what does not begin at the root fits anywhere.
 * Where it is to deny, what differs in case alone fits too, and a pattern that can be read in two ways is read in both.
 */
function matcher(pattern: string, homes: readonly string[], to: 'allow' | 'deny'): (path: string) => boolean {
  const isHome = pattern === '~' || /^~[/\\]/.test(pattern);
  const written = readings(pattern, to).flatMap((each) =>
    isHome ? homes.map((home) => escaped(home) + each.slice(1)) : [each],
  );
  const ignorecase = to === 'deny' || isCaseless;
  const rules = ignore({ ignorecase, allowRelativePaths: true }).add(written.map(toRule));
  return (path) => {
    const relative = toRelative(path);
    // All is below the root, and the root is in nothing.
    return relative === '' ? written.some((each) => toRule(each) === '/**') : rules.ignores(relative);
  };
}

/** With slashes. A backslash before a sign parts folders in a path of Windows, and elsewhere takes its meaning from the sign. */
function readings(pattern: string, to: 'allow' | 'deny'): string[] {
  const slashed = pattern.replaceAll('\\', '/');
  if (process.platform === 'win32' || /^(?:[A-Za-z]:|\\\\|~\\)/.test(pattern)) return [slashed];
  const quoting = pattern.replace(/\\(?![[\]*?!#])/g, '/');
  return to === 'deny' ? [quoting, slashed] : [quoting];
}

function escaped(path: string): string {
  return path.replace(/[[\]*?!#\\]/g, (sign) => (sign === '\\' ? '/' : `\\${sign}`));
}

function toRule(pattern: string): string {
  const slashed = posix.normalize(pattern.replace(/^([A-Za-z]):/, '/$1').normalize('NFC'));
  const bare = slashed.replace(/(?:\/\*\*)+\/?$/, '').replace(/\/+$/, '');
  if (bare === '' || bare === '**') return '/**';
  return bare.startsWith('/') || bare.startsWith('**/') ? bare : `**/${bare}`;
}

function toRelative(path: string): string {
  const slashed = path.replaceAll('\\', '/').replace(/^([A-Za-z]):/, '/$1');
  return posix.normalize(`/${slashed.normalize('NFC')}`).replace(/^\/+|\/+$/g, '');
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
