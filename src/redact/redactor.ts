/**
 * Masks for sharing: secrets, home folders and user names, and what cannot be looked into. A document is gone through twice:
 * `learn` all of it, then `redact` it, so that a secret told late is masked early.
 */
import { isObject, type Json } from '../format/json.ts';
import { type BinaryOptions, isKeptPicture, type LeftOutKind, textWithoutBinary, withoutBinary } from './binary.ts';
import { findSecrets } from './find.ts';
import { maskJson } from './json.ts';
import { createMasker, type Masker } from './masker.ts';
import { homeOf, namesIn, peopleMask } from './people.ts';
import type { Rule } from './rule.ts';
import { RULES } from './rules.ts';

export interface RedactorOptions {
  /** The home folder of whoever shares. */
  readonly home?: string;
  readonly images?: boolean;
  readonly rules?: readonly Rule[];
  /** Texts longer than this are left out. */
  readonly longest?: number;
}

/** One thing that was masked in a value. */
export interface Finding {
  readonly kind: string;
  readonly placeholder: string;
  readonly times: number;
  /** The text around it, masked. */
  readonly preview: string;
}

export interface Redacted {
  readonly value: Json;
  readonly found: readonly Finding[];
  readonly leftOut: ReadonlyMap<LeftOutKind, number>;
}

export interface Redactor {
  learn(value: Json): void;
  redact(value: Json): Redacted;
}

/** Of home folders and user names; a secret's kind is that of its rule. */
export const PERSON = 'person';

const MOST_REMEMBERED = 5000;

export function createRedactor({ home, images = false, rules = RULES, longest }: RedactorOptions = {}): Redactor {
  const homes = new Set(home === undefined || home.length < 4 ? [] : [home]);
  const names = new Set<string>();
  const masked = new Map<string, number>();
  const leftOut = new Map<LeftOutKind, number>();
  const masker = createMasker({
    rules,
    longest,
    mostRemembered: MOST_REMEMBERED,
    onMasked: (placeholder) => count(masked, placeholder),
    onNotScanned: () => count(leftOut, 'text'),
  });
  const learner = learnerOf(masker);
  let people: ((text: string) => string) | undefined;
  const maskPeople = (text: string): string => {
    people ??= peopleMask({ homes: [...homes], names: [...names] });
    return people(text);
  };
  const binary: BinaryOptions = {
    images,
    leave: (what) => count(leftOut, what),
    isClean: (text) => isPlain(text, rules) && maskPeople(text) === text,
  };

  const textShown = (text: string, name: string): string => {
    if (isKeptPicture(name, text, binary)) return text;
    const whose = maskPeople(text);
    if (whose !== text) count(masked, PERSON);
    return textWithoutBinary(whose, binary);
  };

  return {
    learn(value) {
      people = undefined;
      maskJson(value, learner);
      eachString(value, (text, name) => {
        for (const each of namesIn(text)) names.add(each);
        const own = PATHS.has(name) ? homeOf(text) : undefined;
        if (own !== undefined) homes.add(own);
      });
    },
    redact(value) {
      masked.clear();
      leftOut.clear();
      const shown = mapStrings(maskJson(withoutBinary(value, binary), masker), textShown);
      return { value: shown, found: findingsOf(shown, masked), leftOut: new Map(leftOut) };
    },
  };
}

/** Members that hold one path and nothing else. */
const PATHS = new Set([
  'cwd',
  'file_path',
  'filePath',
  'path',
  'notebook_path',
  'project',
  'originalCwd',
  'worktreePath',
]);

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Decoded texts are looked at by the rules alone; what holds base64 once more is not clean. */
function isPlain(text: string, rules: readonly Rule[]): boolean {
  return findSecrets(text, rules).length === 0 && !/[A-Za-z0-9+/_-]{256,}/.test(text);
}

/** Goes through a value as masking would, and only remembers. */
function learnerOf(masker: Masker): Masker {
  return {
    ...masker,
    mask(text) {
      masker.learn(text);
      return text;
    },
    maskLines(lines) {
      masker.learn(lines.join('\n'));
      return lines;
    },
    maskWhole(text, kind, guessable) {
      masker.maskWhole(text, kind, guessable);
      return text;
    },
    pass: () => {},
    fail: () => {},
  };
}

function eachString(value: Json, visit: (text: string, name: string) => void, name = ''): void {
  if (typeof value === 'string') visit(value, name);
  else if (Array.isArray(value)) for (const each of value) eachString(each, visit, name);
  else if (isObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      visit(key, '');
      if (each !== undefined) eachString(each, visit, key);
    }
  }
}

function mapStrings(value: Json, map: (text: string, name: string) => string, name = ''): Json {
  if (typeof value === 'string') return map(value, name);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map, name));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, each]) => [
    map(key, ''),
    each === undefined ? undefined : mapStrings(each, map, key),
  ]);
  return Object.fromEntries(members);
}

function findingsOf(shown: Json, masked: ReadonlyMap<string, number>): Finding[] {
  return [...masked].map(([placeholder, times]) =>
    placeholder === PERSON
      ? { kind: PERSON, placeholder: '~', times, preview: '' }
      : { kind: kindOf(placeholder), placeholder, times, preview: previewOf(shown, placeholder) },
  );
}

/** `[github-token:1f3a]` is a github-token. */
function kindOf(placeholder: string): string {
  return /^\[([a-z0-9-]+)/.exec(placeholder)?.[1] ?? 'secret';
}

const AROUND = 40;

function previewOf(shown: Json, placeholder: string): string {
  let preview = '';
  eachString(shown, (text) => {
    const at = preview === '' ? text.indexOf(placeholder) : -1;
    if (at < 0) return;
    const [from, to] = [Math.max(0, at - AROUND), at + placeholder.length + AROUND];
    preview = `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`.replace(/\s+/g, ' ');
  });
  return preview;
}
