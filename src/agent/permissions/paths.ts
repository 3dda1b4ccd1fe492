/** Which files a rule is about: gitignore patterns from one of four places. */

import { dirname, join, relative, resolve } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { Rule, World } from './types.ts';

/** A path as it was given and as it really lies. */
export interface Place {
  readonly given: string;
  /** Undefined where links lead nowhere. */
  readonly real: string | undefined;
}

export function placeOf(path: string, world: World, cwd: string = world.cwd): Place {
  const given = resolve(cwd, path);
  return { given, real: world.resolve(given) };
}

/** As the system follows a path in a command: `..` goes up from where a link leads, not from where it lies. */
export function shellPlaceOf(path: string, world: World, cwd: string): Place {
  const given = resolve(cwd, path);
  let at: string | undefined = path.startsWith('/') ? '/' : cwd;
  for (const name of path.split('/')) {
    if (at === undefined || name === '' || name === '.') continue;
    if (name !== '..') at = join(at, name);
    else {
      const above: string | undefined = world.resolve(at);
      at = above === undefined ? undefined : dirname(above);
    }
  }
  return { given, real: at === undefined ? undefined : world.resolve(at) };
}

export function spellings({ given, real }: Place): string[] {
  return real === undefined || real === given ? [given] : [given, real];
}

export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || (below !== '..' && !below.startsWith('../'));
}

export function isInside({ real }: Place, { folders }: World): boolean {
  return real !== undefined && folders.some((folder) => isWithin(folder, real));
}

/** Also what may only be read. */
export function isReadable(place: Place, world: World): boolean {
  const { real } = place;
  return (
    isInside(place, world) || (real !== undefined && (world.readable ?? []).some((folder) => isWithin(folder, real)))
  );
}

/** An allowing rule has to fit both spellings; to forbid, one is enough. */
export function ruleFitsPlace(rule: Rule, place: Place, world: World): boolean {
  if (rule.spec === undefined || rule.problem !== undefined) return true;
  const { base, tester } = testerOf(rule, rule.spec, world);
  const bases = spellings({ given: base, real: world.resolve(base) });
  const fits = (path: string) => bases.some((each) => isFit(tester, each, path));
  return rule.behaviour === 'allow'
    ? place.real !== undefined && spellings(place).every(fits)
    : spellings(place).some(fits);
}

function isFit(tester: Ignore, base: string, path: string): boolean {
  const below = relative(base, path);
  if (below === '' || below === '..' || below.startsWith('../')) return false;
  // As a file and as a folder: `secrets/` and `secrets/**` mean the folder itself, too.
  return tester.ignores(below) || tester.ignores(`${below}/`) || tester.ignores(`${below}/${ANY_NAME}`);
}

/** No rule names it. */
const ANY_NAME = '\u0001';

interface Tester {
  readonly base: string;
  readonly tester: Ignore;
}

const testers = new WeakMap<Rule, Tester>();

function testerOf(rule: Rule, spec: string, world: World): Tester {
  const known = testers.get(rule);
  if (known !== undefined) return known;
  const { base, pattern } = anchorOf(spec, rule, world);
  // What only differs in case is allowed by no rule and forbidden by each.
  const tester = ignore({ ignorecase: rule.behaviour !== 'allow' }).add(pattern);
  const made = { base, tester };
  testers.set(rule, made);
  return made;
}

function anchorOf(spec: string, rule: Rule, world: World): { readonly base: string; readonly pattern: string } {
  if (spec.startsWith('//')) return { base: '/', pattern: spec.slice(1) };
  if (spec === '~' || spec.startsWith('~/')) return { base: world.home, pattern: spec.slice(1) || '/**' };
  if (spec.startsWith('/')) return { base: rule.source.root, pattern: spec };
  const upwards = /^(?:\.\.\/)+/.exec(spec)?.[0] ?? '';
  const base = resolve(world.root, upwards);
  const pattern = spec.slice(upwards.length).replace(/^(?:\.\/)+/, '/');
  return { base, pattern: looseOrNot(pattern.startsWith('#') ? `\\${pattern}` : pattern, rule) };
}

/** `src/**` allows only the folder beside; to forbid it means every folder of that name. */
function looseOrNot(pattern: string, { behaviour }: Rule): string {
  const single = /^[^/]+\/(?:\*\*?)?$/.test(pattern) && !pattern.startsWith('**');
  if (!single) return pattern;
  return behaviour === 'allow' ? `/${pattern}` : `**/${pattern}`;
}
