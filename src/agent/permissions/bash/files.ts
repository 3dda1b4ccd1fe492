/** What a command does to files: rules about paths, folders of the work and protected files hold for it, too. */
import { basename, dirname, resolve } from 'node:path';
import { isInside, isReadable, type Place, ruleFitsPlace, shellPlaceOf, spellings } from '../paths.ts';
import { isProtected } from '../protected.ts';
import { EDITORS } from '../rules.ts';
import { filesOf, isRemoval } from '../shell/files.ts';
import type { Word } from '../shell/types.ts';
import { programOf } from '../shell/unwrap.ts';
import type { Policy, Rule, Verdict, World } from '../types.ts';
import { glob } from '../wildcard.ts';
import type { Line, Part } from './parts.ts';

export interface Use {
  readonly word: Word;
  readonly writes: boolean;
  readonly redirect: boolean;
  readonly part?: Part;
}

export interface FileFindings {
  /** Holds whatever allows the command. */
  readonly hard: readonly Verdict[];
  /** Holds unless the whole line is allowed. */
  readonly soft: readonly Verdict[];
}

export function fileFindings(line: Line, policy: Policy): FileFindings {
  const uses = usesOf(line);
  const bases = basesOf(line, policy.world);
  const hard: Verdict[] = [];
  const soft: Verdict[] = [];
  for (const use of uses) {
    const places = placesOf(use.word, policy.world, bases);
    const rule = byRules(use, places, policy);
    if (rule !== undefined) hard.push(rule);
    const removal =
      use.part !== undefined && isRemoval(use.part.command)
        ? criticalRemoval(use.word, places, policy.world)
        : undefined;
    if (removal !== undefined) hard.push({ behaviour: 'ask', reason: { kind: 'critical', path: removal } });
    const guarded = use.writes ? places?.flatMap(spellings).find(isProtected) : undefined;
    if (guarded !== undefined) hard.push({ behaviour: 'ask', reason: { kind: 'protected', path: guarded } });
    const confined = byFolders(use, places, policy);
    if (confined !== undefined) soft.push(confined);
  }
  return { hard, soft };
}

export function usesOf(line: Line): Use[] {
  const ofParts = line.all.flatMap((part) =>
    (filesOf(part.command) ?? []).map((use) => ({ ...use, redirect: false, part })),
  );
  return [...ofParts, ...line.redirects.map((use) => ({ ...use, redirect: true }))];
}

/** Where relative paths may start: with one `cd` there or here, with more nobody knows. */
function basesOf({ all }: Line, { cwd, home }: World): readonly string[] | undefined {
  const moves = all.filter(({ command }) => /^(?:cd|pushd|popd|chdir)$/.test(programOf(command)));
  if (moves.length === 0) return [cwd];
  const [move] = moves;
  const target = move?.command.words.filter(({ text }, i) => i > 0 && !/^-[LPe@]$|^--$/.test(text)) ?? [];
  if (moves.length > 1 || target.length > 1 || programOf(move?.command ?? { words: [] }) === 'popd') return undefined;
  const [word] = target;
  if (word === undefined) return [cwd, home];
  const path = pathOf(word, home);
  return path === undefined || path === '-' || word.glob ? undefined : [cwd, resolve(cwd, path)];
}

export function pathOf({ text, known, raw }: Word, home: string): string | undefined {
  if (!known) return undefined;
  return /^~(?:\/|$)/.test(raw) ? `${home}${text.slice(1)}` : text;
}

/** Undefined where it cannot be told. Of a glob the folder counts. */
function placesOf(word: Word, world: World, bases: readonly string[] | undefined): Place[] | undefined {
  const path = pathOf(word, world.home);
  if (path === undefined || path.includes('\0')) return undefined;
  if (word.glob && /[*?[].*\/\.\.(?:\/|$)/s.test(path)) return undefined;
  const fixed = word.glob ? path.replace(/[^/]*[*?[].*$/s, '') || '.' : path;
  if (fixed.startsWith('/')) return [shellPlaceOf(fixed, world, '/')];
  return bases?.map((base) => shellPlaceOf(fixed, world, base));
}

function isAbout(rule: Rule, writes: boolean): boolean {
  if (rule.spec === undefined) return false;
  // What may not be read may not be written either.
  return rule.tool === 'Read' || (writes && EDITORS.has(rule.tool));
}

function byRules(use: Use, places: readonly Place[] | undefined, { rules, world }: Policy): Verdict | undefined {
  for (const behaviour of ['deny', 'ask'] as const) {
    for (const rule of rules) {
      if (rule.behaviour !== behaviour || !isAbout(rule, use.writes)) continue;
      const part = use.word.raw;
      if (places?.some((place) => ruleFitsPlace(rule, place, world)))
        return { behaviour, reason: { kind: 'rule', rule, part } };
      if (places === undefined || (use.word.glob && couldName(rule, use.word)))
        return { behaviour: 'ask', reason: { kind: 'maybe', rule, part } };
    }
  }
  return undefined;
}

/** Whether a glob might stand for what a rule names; of rules that name a file or a folder by its name that can be told. */
function couldName({ spec = '' }: Rule, { text }: Word): boolean {
  const name = basename(spec.replace(/(?:\/\*{0,2})+$/, ''));
  if (name === '' || /[*?[\]]/.test(name) || /[*?[]/.test(dirname(text))) return true;
  const last = basename(text);
  if (name.startsWith('.') && !last.startsWith('.')) return false;
  return /[?[]/.test(last) || glob(last.toLowerCase()).test(name.toLowerCase());
}

function byFolders(use: Use, places: readonly Place[] | undefined, policy: Policy): Verdict | undefined {
  const { word, writes, redirect } = use;
  const { mode, world, rules } = policy;
  const isHome = /^~/.test(word.raw);
  if (places === undefined || (writes && redirect && (word.glob || isHome))) {
    return { behaviour: 'ask', reason: { kind: 'unclear', what: `which file ${word.raw} is cannot be told` } };
  }
  const wanted = writes ? 'Edit' : 'Read';
  for (const place of places) {
    const isAllowed =
      !word.glob &&
      rules.some(
        (rule) =>
          rule.behaviour === 'allow' &&
          rule.tool === wanted &&
          rule.problem === undefined &&
          ruleFitsPlace(rule, place, world),
      );
    if (isAllowed) continue;
    if (!(writes ? isInside(place, world) : isReadable(place, world)))
      return { behaviour: 'ask', reason: { kind: 'outside', path: place.real ?? place.given, writes } };
    if (redirect && writes && mode !== 'acceptEdits')
      return { behaviour: 'ask', reason: { kind: 'writes', path: place.given } };
  }
  return undefined;
}

/** The root and what lies directly in it, the home folder, the working directory and what it lies in; or a variable that may be empty. */
function criticalRemoval(
  word: Word,
  places: readonly Place[] | undefined,
  { cwd, home, folders }: World,
): string | undefined {
  if (!word.known) return /\$[\w{(].*\/[*]*["']?$/.test(word.raw) && !word.raw.includes(':?') ? word.raw : undefined;
  const above = [cwd, home, ...folders];
  return places
    ?.flatMap(spellings)
    .find(
      (path) =>
        path === '/' ||
        dirname(path) === '/' ||
        path === home ||
        above.some((folder) => folder === path || folder.startsWith(`${path}/`)),
    );
}
