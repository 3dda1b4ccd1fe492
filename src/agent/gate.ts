/** Whether a call may run: by the rules and the mode, or by asking. */
import { basename, dirname, join, resolve } from 'node:path';
import { asString, type JsonObject } from '../format/json.ts';
import { decide, needsParser } from './permissions/decide.ts';
import { hostOf } from './permissions/domains.ts';
import { acceptRecord, rejectRecord, whyOf } from './permissions/explain.ts';
import { isHidden } from './permissions/hidden.ts';
import { realPlace } from './permissions/resolve.ts';
import type { Mode, Policy, Rule, Verdict, World } from './permissions/types.ts';
import type { Asked, Decision, Gate } from './ports.ts';
import { REJECTED } from './transcript/shapes.ts';

export { MODES, type Mode } from './permissions/types.ts';

/** `always`: in this session, for the same command, the same file or host, or for all edits in the folders of the work. */
export type Consent = 'once' | 'always' | 'no' | Answered | Refused;

/** What a person answered, as the input of the call. */
export interface Answered {
  readonly input: JsonObject;
}

/** No, with a word for the model; with `interrupt` the turn ends, too. */
export interface Refused {
  readonly deny: string;
  readonly interrupt: boolean;
}

export interface GateOptions {
  readonly mode: Mode;
  readonly rules?: readonly Rule[];
  /** Where relative paths start. */
  readonly cwd: () => string;
  /** Where the session began. */
  readonly root?: string;
  readonly home?: string;
  /** The folders of the work. */
  readonly folders: readonly string[];
  /** Asked before a person is: the hooks of PermissionRequest. */
  readonly consult?: (asked: Asked) => Promise<Decision | undefined>;
  /** What else may be read. */
  readonly readable?: () => readonly string[];
  /** Asks a person, who is told why; without it what would have to be asked is denied. */
  readonly ask?: (asked: Asked, why: string) => Promise<Consent>;
  /** Where the plan lies: it may be written in plan mode, too. */
  readonly planFile?: () => string;
  /** Told what a person should know of what is allowed. */
  readonly notice?: (words: string) => void;
}

/** A gate whose mode can be changed. */
export interface OwnGate extends Gate {
  readonly mode: Mode;
  setMode(mode: Mode): void;
  /** A rule forbids to read it: it is not to be shown in lists either. */
  hides(path: string): boolean;
  /** For the rest of the session. */
  amend(change: Amendment): void;
}

/** What becomes of the rules, and of the folders of the work. */
export interface Amendment {
  readonly rules?: (rules: readonly Rule[]) => readonly Rule[];
  readonly folders?: (folders: readonly string[]) => readonly string[];
}

export function createGate(options: GateOptions): OwnGate {
  const { ask } = options;
  let { mode, rules = [], folders } = options;
  const granted = new Set<string>();
  return {
    get mode() {
      return mode;
    },
    setMode: (to) => {
      mode = to;
    },
    amend: (change) => {
      rules = change.rules?.(rules) ?? rules;
      folders = change.folders?.(folders) ?? folders;
    },
    hides: (path) => isHidden(path, rules, worldOf({ ...options, folders })),
    decide: async (asked) => {
      const world = worldOf({ ...options, folders }, asked.agent?.cwd);
      const policy = { mode: modeFor(asked, mode), rules: [...rules, ...(asked.granted ?? [])], world };
      const verdict = await verdictOn(asked, policy);
      if (verdict.note !== undefined) options.notice?.(`${nameOf(asked)}: ${verdict.note}`);
      if (isPlan(asked, verdict, options)) return { allow: true, record: PLANNING };
      if (verdict.behaviour === 'deny') return denied(asked, verdict);
      const { question } = asked.tool;
      if (verdict.behaviour === 'allow' && asked.hook?.what !== 'ask' && question === undefined) {
        return { allow: true, record: acceptRecord(verdict, asked.tool.name) };
      }
      if (asked.hook?.what === 'allow' && !isStrict(verdict) && question === undefined)
        return { allow: true, record: BY_HOOK };
      const key = asked.hook?.what === 'ask' || question !== undefined ? undefined : grantOf(asked, verdict);
      if (key !== undefined && granted.has(key)) return granting('session');
      const said = mode === 'dontAsk' ? undefined : await options.consult?.(asked);
      const isEmpty = question?.isOpen && said?.allow && said.input === undefined;
      if (said !== undefined && !isEmpty) return said;
      if (mode === 'dontAsk') return denied(asked, { ...verdict, reason: { kind: 'mode', mode } }, whyOf(verdict));
      if (ask === undefined) return question === undefined ? unasked(asked, verdict) : unanswered(question.alone);
      const consent = await ask(asked, asked.hook?.reason ?? whyOf(verdict));
      if (consent === 'no') return { allow: false, message: REJECTED, interrupt: true };
      if (typeof consent === 'object' && 'deny' in consent) return refused(consent);
      if (typeof consent === 'object') return { ...granting('once'), input: consent.input };
      if (consent === 'always' && key !== undefined) granted.add(key);
      return granting(consent === 'always' && key !== undefined ? 'session' : 'once');
    },
  };
}

/** What looks only changes nothing, as in plan mode. */
function modeFor({ agent, tool: { acts } }: Asked, mode: Mode): Mode {
  return agent?.isReadOnly && (acts === 'writes' || acts === 'runs') ? 'plan' : mode;
}

async function verdictOn(asked: Asked, policy: Policy): Promise<Verdict> {
  if (!needsParser(asked, policy)) return decide(asked, policy);
  const { loadShellParser } = await import('./permissions/shell/parser.ts');
  try {
    return decide(asked, policy, await loadShellParser());
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const told = decide(asked, policy);
    return told.behaviour === 'deny' ? told : { behaviour: 'ask', reason: { kind: 'unclear', what } };
  }
}

function worldOf({ cwd, root, home = '/nonexistent', folders, readable }: GateOptions, place?: string): World {
  const here = place ?? cwd();
  return {
    cwd: here,
    root: root ?? here,
    home,
    folders: folders.flatMap((folder) => realPlace(folder) ?? []),
    readable: (readable?.() ?? []).flatMap((folder) => realPlace(folder) ?? []),
    resolve: (path) => realPlace(path),
  };
}

const BY_HOOK = { decision: 'accept', source: 'hook', reasonType: 'hook', reasonCode: 'hook:PreToolUse' };

/** No hook and no earlier yes answers for a person. */
function isStrict({ reason: { kind } }: Verdict): boolean {
  return kind === 'rule' || kind === 'maybe' || kind === 'critical' || kind === 'protected';
}

/** What `always` is about. Undefined for what a rule wants to be asked each time. */
function grantOf({ tool, input }: Asked, verdict: Verdict): string | undefined {
  const { reason } = verdict;
  if (isStrict(verdict) && reason.kind !== 'protected') return undefined;
  if (reason.kind === 'writes' && tool.acts === 'writes') return 'edits in the folders of the work';
  const about = asString(input.command) ?? tool.path?.(input) ?? hostOf(asString(input.url) ?? '') ?? '';
  return `${tool.name} ${about}`;
}

function granting(grantScope: 'once' | 'session'): Extract<Decision, { allow: true }> {
  return { allow: true, record: { decision: 'accept', source: 'user_temporary', grantScope, reasonCode: 'unknown' } };
}

/** Only the mode stands against it: a rule would hold. */
function isPlan({ tool, input, agent }: Asked, { behaviour, reason }: Verdict, options: GateOptions): boolean {
  if (tool.acts !== 'writes' || behaviour === 'allow' || agent !== undefined) return false;
  if (reason.kind !== 'mode' || reason.mode !== 'plan') return false;
  const path = tool.path?.(input);
  const plan = options.planFile?.();
  const folder = plan === undefined ? undefined : realPlace(dirname(plan));
  if (path === undefined || plan === undefined || folder === undefined) return false;
  // A link in its place leads to something else.
  return realPlace(resolve(options.cwd(), path)) === join(folder, basename(plan));
}

const PLANNING = { decision: 'accept', source: 'config', reasonType: 'other' };

function unanswered(message: string): Decision {
  return { allow: false, message, denial: 'user-rejected', record: { decision: 'reject', source: 'config' } };
}

function refused({ deny: message, interrupt }: Refused): Decision {
  const record = { decision: 'reject', source: 'user_reject' };
  return { allow: false, message, interrupt, denial: 'permission-rule', record };
}

function denied(asked: Asked, verdict: Verdict, because = whyOf(verdict)): Decision {
  const message = `${nameOf(asked)} was not run. ${because} Do without it, and do not look for a way around.`;
  return { allow: false, message, denial: 'permission-rule', record: rejectRecord(verdict, false) };
}

function unasked(asked: Asked, verdict: Verdict): Decision {
  const message = `${nameOf(asked)} needs permission and there is nobody to ask, so it was not run. ${whyOf(verdict)} ${wayTo(asked, verdict)} Go on without it, and say what could not be done.`;
  return { allow: false, message, denial: 'user-rejected', record: rejectRecord(verdict, true) };
}

function wayTo({ tool: { name, acts } }: Asked, verdict: Verdict): string {
  if (verdict.reason.kind === 'protected') return 'Only --permission-mode bypassPermissions lets it pass.';
  if (isStrict(verdict)) return 'Only the user can do it.';
  const mode = acts === 'writes' ? 'acceptEdits' : 'bypassPermissions';
  return `The user can allow it with --allowedTools ${name} or --permission-mode ${mode}.`;
}

function nameOf({ tool, input }: Asked): string {
  const about = asString(input.command) ?? tool.path?.(input) ?? asString(input.url);
  return about === undefined ? tool.name : `${tool.name} (${about.length > 200 ? `${about.slice(0, 200)}…` : about})`;
}
