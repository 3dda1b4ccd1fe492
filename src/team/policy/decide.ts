/** Whether a session may leave, and which rule says so. */
import { toFits } from './pattern.ts';
import { type Surroundings, thisMachine } from './surroundings.ts';
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

export function createDecider(policy: Policy, home: string, around: Surroundings = thisMachine): Decider {
  const fitsOf = (pattern: string, to: 'allow' | 'deny') => toFits(pattern, to, home, around);
  const rules = policy.files.map((file) => ({
    path: file.path,
    allow: file.allow?.map((pattern) => [pattern, fitsOf(pattern, 'allow')] as const),
    deny: file.deny.map((pattern) => [pattern, fitsOf(pattern, 'deny')] as const),
  }));
  // What a managed file says of all others goes before what the user's says of some.
  const retention = policy.files.flatMap((file) => {
    const rest = file.retention.filter(([pattern]) => pattern === 'default');
    const some = file.retention.filter(([pattern]) => pattern !== 'default');
    return [
      ...some.map(([pattern, kept]) => ({ kept, fits: fitsOf(pattern, 'allow').asWritten })),
      ...rest.map(([, kept]) => ({ kept, fits: undefined })),
    ];
  });
  const known = new Map<string, Decision>();

  function folder(cwd: string): Decision {
    const before = known.get(cwd);
    if (before !== undefined) return before;
    const decision = decide(cwd, around.realPath(cwd));
    known.set(cwd, decision);
    return decision;
  }

  function decide(cwd: string, real: string): Decision {
    for (const { path, deny } of rules) {
      const rule = deny.find(([, { inAnyReading }]) => inAnyReading(cwd) || inAnyReading(real));
      if (rule) return { allowed: false, rule: 'denied', why: `${cwd} is denied by "${rule[0]}" in ${path}` };
    }
    const whys: string[] = [];
    for (const { path, allow } of rules) {
      if (allow === undefined) continue;
      const rule = allow.find(([, { asWritten }]) => asWritten(cwd));
      if (!rule) return { allowed: false, rule: 'not-allowed', why: `${cwd} is not among the allowed of ${path}` };
      // A link in an allowed folder may lead out of it.
      if (!allow.some(([, { inAnyReading }]) => inAnyReading(real))) {
        const why = `${cwd} leads to ${real}, which is not among the allowed of ${path}`;
        return { allowed: false, rule: 'not-allowed', why };
      }
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
