/** Which server a team is on: a URL, or the name of a profile in team.json of $SKEIN_HOME. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { archiveFolder, type PlaceQuery } from '../archive/place.ts';
import { codeOf } from '../disk/errors.ts';
import { asBoolean, asObject, asString, at, isObject, type Json, type JsonObject, parseJson } from '../format/json.ts';
import { TeamError } from './errors.ts';

export interface TeamTarget {
  /** Of the HTTP interface, without login, password and path. */
  readonly url: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly cluster?: string;
  /** To show: the profile's name or the address, without secrets. */
  readonly name: string;
  /** How long an answer may take. */
  readonly timeoutMs?: number;
}

/** Timers take no more: beyond it they would end at once. */
const LONGEST_MS = 2 ** 31 - 1;
const DATABASE = 'skein';
const FORM = 'It looks like http://user@host:8123/skein (the password better in SKEIN_TEAM_PASSWORD).';

function profilesFile(place: PlaceQuery): string {
  return join(archiveFolder(place), 'team.json');
}

/** `value`: what --team says. Without it the default: SKEIN_TEAM, else that of team.json. */
export function resolveTarget(
  place: PlaceQuery,
  value: string | undefined,
  options: { readonly insecure?: boolean } = {},
): TeamTarget {
  const { env } = place;
  const asked = value ?? (env.SKEIN_TEAM || undefined);
  const profile = asked?.includes('://') ? {} : readProfile(place, asked);
  const text = asked?.includes('://') ? asked : asString(profile.url);
  if (text === undefined) throw wrong('The profile has no "url"', profilesFile(place), FORM);
  const url = parseUrl(text);
  const insecure = options.insecure === true || asBoolean(profile.insecure) === true;
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !insecure) {
    const next = 'Use https://, or say --insecure if the way there is safe (a tunnel, a private network).';
    throw wrong('The password and the sessions would travel unencrypted', shown(url), next);
  }
  const database = decodeURIComponent(url.pathname.replace(/^\/|\/$/g, '')) || asString(profile.database) || DATABASE;
  const cluster = asString(profile.cluster);
  const timeout = Number(env.SKEIN_TEAM_TIMEOUT);
  return {
    url: url.origin,
    database,
    user: decodeURIComponent(url.username) || env.SKEIN_TEAM_USER || asString(profile.user) || 'default',
    password: decodeURIComponent(url.password) || env.SKEIN_TEAM_PASSWORD || passwordOf(place, profile),
    ...(cluster !== undefined && { cluster }),
    name: asked === undefined || asked.includes('://') ? `${url.host}/${database}` : asked,
    ...(timeout > 0 && { timeoutMs: Math.min(timeout * 1000, LONGEST_MS) }),
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isDecodable(url)) {
    throw wrong('This is not the URL of a ClickHouse server', withoutLogin(text), FORM);
  }
  return url;
}

/** What is wrong may be wrong because of a sign in the password: nothing before the last @ is told. */
function withoutLogin(text: string): string {
  return text.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@');
}

function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function readProfile(place: PlaceQuery, asked: string | undefined): JsonObject {
  const path = profilesFile(place);
  const all = readProfiles(path);
  const name = asked ?? asString(at(all, 'default'));
  const profiles = asObject(at(all, 'profiles')) ?? {};
  const names = Object.keys(profiles);
  if (name === undefined) {
    const next = `Say --team URL, set SKEIN_TEAM, or write a profile into ${path} and make it the "default".`;
    throw wrong('Which team? None is named', 'skein', next);
  }
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (isObject(profile)) return profile;
  const next = names.length > 0 ? `There are: ${names.join(', ')}.` : `Write it there, or say --team URL. ${FORM}`;
  throw wrong(`There is no team "${withoutLogin(name)}"`, path, next);
}

function readProfiles(path: string): Json | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw wrong('The file of the teams cannot be read', path, 'Check its permissions.', error);
  }
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw wrong('The file of the teams is not a JSON object', path, 'See docs/team.md, "Setting up".');
}

/** The file's name is relative to team.json. */
function passwordOf(place: PlaceQuery, profile: JsonObject): string {
  const name = asString(profile.passwordFile);
  if (name === undefined) return '';
  const home = name.startsWith('~/') ? join(place.home, name.slice(2)) : name;
  const path = resolve(archiveFolder(place), home);
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw wrong('The file with the password cannot be read', path, 'Check "passwordFile" in team.json.', error);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);
}

function shown(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function wrong(what: string, where: string, next: string, cause?: unknown): TeamError {
  return new TeamError({ what, where, next, kind: 'other', cause });
}
