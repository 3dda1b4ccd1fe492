/** Reads policy files. One that cannot be read, or says something that is not known, means that nothing is pushed. */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { archiveFolder, type PlaceQuery } from '../../archive/place.ts';
import { codeOf } from '../../disk/errors.ts';
import { asArray, asObject, asString, isObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { TeamError } from '../errors.ts';
import type { Content } from '../rows.ts';
import { faultOf } from './pattern.ts';
import { CONTENTS, type PolicyFile } from './types.ts';

const NAME = 'team-policy.json';

const MANAGED: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/Skein',
  win32: 'C:\\ProgramData\\Skein',
};

/** Where whoever manages the machine says what holds on it. No variable changes it: a user could. */
export function managedFolder(): string {
  return MANAGED[process.platform] ?? '/etc/skein';
}

export interface PolicyPlaces {
  readonly user: string;
  readonly managed: string;
}

/** `managed`: tests have their own. */
export function policyPlaces(place: PlaceQuery, managed = managedFolder()): PolicyPlaces {
  return { user: join(archiveFolder(place), NAME), managed: join(managed, NAME) };
}

/** Those that are there, the managed one first. Throws TeamError. */
export function readPolicies({ user, managed }: PolicyPlaces): PolicyFile[] {
  return [[managed, true] as const, [user, false] as const].flatMap(([path, isManaged]) => {
    const text = textOf(path);
    return text === undefined ? [] : [toPolicy(text, path, isManaged)];
  });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isAway = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
    // A link to what is not there says that there should be one.
    if (isAway && lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    throw wrong(path, `it cannot be read (${codeOf(error) ?? 'unknown reason'})`, error);
  }
}

function wrong(path: string, why: string, cause?: unknown, how?: string): TeamError {
  const until = 'Nothing is pushed until it is mended (docs/team.md, "What leaves a machine").';
  const next = how === undefined ? until : `${how} ${until}`;
  return new TeamError({ what: `The team policy cannot be followed: ${why}`, where: path, next, kind: 'other', cause });
}

function toPolicy(text: string, path: string, managed: boolean): PolicyFile {
  const json = parseJson(text.replace(/^\ufeff/, ''));
  if (!isObject(json)) throw wrong(path, 'it is not a JSON object');
  const read = readerOf(path);
  read.known(json, ['$schema', 'content', 'projects', 'retention', 'who'], '');
  const projects = read.object(json, 'projects', ['allow', 'deny', 'names']);
  const who = read.object(json, 'who', ['person', 'machine']);
  return {
    path,
    managed,
    content: read.choice<Content>(json, 'content', CONTENTS),
    allow: read.patterns(projects, 'allow'),
    deny: read.patterns(projects, 'deny') ?? [],
    names: read.choice(projects, 'names', ['path', 'pseudonym'] as const),
    retention: read.retention(json),
    person: read.name(who, 'person'),
    machine: read.name(who, 'machine'),
  };
}

const CLASS = /^[a-z][a-z0-9_-]{0,31}$/;

function readerOf(path: string) {
  const known = (from: JsonObject, names: readonly string[], at: string): void => {
    const other = Object.keys(from).find((name) => !names.includes(name));
    if (other !== undefined) throw wrong(path, `"${at}${other}" is not known; there are ${names.join(', ')}`);
  };
  const object = (from: JsonObject, name: string, names: readonly string[]): JsonObject => {
    const value = from[name];
    if (value === undefined) return {};
    if (!isObject(value)) throw wrong(path, `"${name}" is not an object`);
    known(value, names, `${name}.`);
    return value;
  };
  const pattern = (value: Json | undefined, name: string): string => {
    const text = asString(value);
    const fault = text === undefined ? { why: 'which is no path or pattern' } : faultOf(text);
    if (text !== undefined && fault === undefined) return text;
    throw wrong(path, `"${name}" holds ${JSON.stringify(value)}, ${fault?.why}`, undefined, fault?.next);
  };
  return {
    known,
    object,
    choice<T extends string>(from: JsonObject, name: string, choices: readonly T[]): T | undefined {
      const value = from[name];
      const found = choices.find((each) => each === value);
      if (value !== undefined && found === undefined) {
        throw wrong(path, `"${name}" is ${JSON.stringify(value)}; it is one of ${choices.join(', ')}`);
      }
      return found;
    },
    patterns(from: JsonObject, name: string): string[] | undefined {
      const value = from[name];
      if (value === undefined) return undefined;
      const list = asArray(value);
      if (list === undefined) throw wrong(path, `"projects.${name}" is not a list`);
      return list.map((each) => pattern(each, `projects.${name}`));
    },
    retention(from: JsonObject): [string, string][] {
      const value = from.retention;
      if (value === undefined) return [];
      const object = asObject(value);
      if (object === undefined) throw wrong(path, '"retention" is not an object');
      return Object.entries(object).map(([of, kept]) => {
        const name = asString(kept);
        if (name === undefined || !CLASS.test(name)) {
          throw wrong(path, `"retention" keeps "${of}" as ${JSON.stringify(kept)}, which is no name of a class`);
        }
        return [pattern(of, 'retention'), name];
      });
    },
    name(from: JsonObject, name: string): string | undefined {
      const value = from[name];
      const text = asString(value);
      if (value === undefined || (text !== undefined && text.trim() !== '' && text.length <= 100)) return text;
      throw wrong(path, `"who.${name}" is neither "pseudonym" nor a name`);
    },
  };
}
