/** Why does nothing arrive? Every link of the chain, from the settings to the server, looked at on its own. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { readJsonObject } from '../../disk/sidecars.ts';
import { type Endpoint, endpointOf } from '../../export/otlp/endpoint.ts';
import { withoutAddressKeys } from '../../export/otlp/secrets.ts';
import { SETTING_NAMES, type Settings, settingsOf } from '../../export/otlp/settings.ts';
import { asBoolean, asObject, type Json } from '../../format/json.ts';
import { isExposed, withoutKeys } from './keys.ts';
import { type LogLine, readLog } from './log.ts';
import type { HookPlaces } from './place.ts';
import { unfinished } from './sessions.ts';
import { EVENTS, hooksIn } from './settings.ts';
import { settingsText } from './settingsfile.ts';
import { whatIn } from './settingstree.ts';
import { clockSkew, sendTestSpan } from './testspan.ts';

export interface Check {
  readonly about: string;
  readonly state: 'ok' | 'warning' | 'bad';
  readonly what: string;
  /** What to do about it. */
  readonly next?: string;
}

export interface CheckQuery {
  /** Those the client reads. */
  readonly settings: readonly string[];
  readonly places: HookPlaces;
  readonly env: Settings;
  readonly now: number;
  readonly version: string;
}

export async function checkHook(query: CheckQuery): Promise<Check[]> {
  const installed = query.settings.map((file) => inSettings(file));
  const commands = [...new Set(installed.flatMap(({ commands }) => commands))];
  const checks = installed.flatMap(({ checks }) => checks);
  if (commands.length === 0 && checks.every(({ state }) => state === 'ok')) {
    const next = 'Run: skein hook install --archive --langfuse';
    checks.push({ about: 'settings', state: 'bad', what: 'the hook is not installed', next });
  }
  checks.push(
    ...commands.flatMap((command) => programCheck(command, query.env)),
    folderCheck(query.places),
    ...keyFileCheck(query.places),
    ...runChecks(query),
  );
  const kept = settingsOf(query.env, query.places.folder);
  const endpoints = commands
    .flatMap((command) => destinationsIn(command))
    .map(({ dialect, url }) => opened(dialect, url, kept));
  for (const each of endpoints) {
    if ('about' in each) checks.push(each);
    else
      checks.push(
        ...keyChecks(each, query),
        ...proxyCheck(each, query.env),
        ...(await serverChecks(each, kept, query)),
      );
  }
  return checks;
}

function inSettings(file: string): { readonly commands: readonly string[]; readonly checks: readonly Check[] } {
  if (!existsSync(file)) return { commands: [], checks: [] };
  const about = 'settings';
  try {
    const hooks = hooksIn(file);
    const commands = [...new Set(hooks.map(({ command }) => command))];
    const checks: Check[] = [];
    if (hooks.length > 0) checks.push({ about, state: 'ok', what: `installed in ${file}` });
    const missing = EVENTS.filter((event) => hooks.length > 0 && !hooks.some((hook) => hook.event === event));
    if (missing.length > 0) {
      const what = `nothing is told of ${missing.join(', ')} (${file})`;
      checks.push({ about, state: 'warning', what, next: 'Run skein hook install again.' });
    }
    if (areHooksOff(file)) {
      const what = `the client runs no hooks: "disableAllHooks" is set in ${file}`;
      checks.push({ about, state: 'bad', what, next: 'Take it out, or set it to false.' });
    }
    return { commands, checks };
  } catch (error) {
    const what = `${whatIn(error)} (${file})`;
    return {
      commands: [],
      checks: [{ about, state: 'bad', what, next: 'Mend the file; the client cannot read it either.' }],
    };
  }
}

/** Throws DiskError where the file cannot be read. */
export function areHooksOff(file: string): boolean {
  const value: Json = parse(settingsText(file) ?? '{}', undefined, { allowTrailingComma: true });
  return asBoolean(asObject(value)?.disableAllHooks) === true;
}

/** The words of a command line as we write it. */
export function wordsIn(command: string): string[] {
  const words = command.match(/'[^']*'(?:\\''[^']*')*|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => (/^['"]/.test(word) ? word.slice(1, -1).replaceAll("'\\''", "'") : word));
}

export interface HookCall {
  /** What is started, and the script that it runs. */
  readonly program: readonly string[];
  /** What stands after `hook run`, values as words of their own. */
  readonly options: readonly string[];
}

/** Up to what is for the shell, such as where its output goes. */
const OWN = /^(?:'[^']*'|"[^"]*"|\\.|(?!\s\d*[<>])[^<>|&;'"\\])*/;

/** Variables may be set before it, and Node may be given options. */
export function callIn(command: string): HookCall {
  const words = wordsIn(OWN.exec(command)?.[0] ?? command);
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  const hook = words.findIndex((word, place) => place > first && word === 'hook' && words[place + 1] === 'run');
  const options = words.slice(hook + 2).flatMap((word) => /^(--[\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? word);
  return { program: [...new Set([words[first] ?? '', words[hook - 1] ?? ''])], options };
}

function programCheck(command: string, env: Settings): Check[] {
  const lost = callIn(command).program.find((file) => !isThere(file, env));
  if (lost === undefined) return [];
  const what = `the client cannot start it: ${lost} is not there`;
  return [{ about: 'command', state: 'bad', what, next: 'Run skein hook install again.' }];
}

function isThere(file: string, env: Settings): boolean {
  if (/[\\/]/.test(file)) return existsSync(file);
  return (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, file)));
}

function folderCheck({ folder }: HookPlaces): Check {
  const about = 'folder';
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  const next = 'Make it writable, or set SKEIN_HOME to another folder.';
  try {
    accessSync(nearest, constants.W_OK);
    if (statSync(nearest).isDirectory()) return { about, state: 'ok', what: `${folder} can be written to` };
    return { about, state: 'bad', what: `${nearest} is not a folder: nothing can be noted as sent`, next };
  } catch {
    return { about, state: 'bad', what: `${folder} cannot be written to: nothing can be noted as sent`, next };
  }
}

function runChecks({ places, now }: CheckQuery): Check[] {
  const lines = readLog(places);
  const last = lines.at(-1);
  const about = 'runs';
  if (last === undefined) {
    const next = 'Start the client anew and finish a turn; /hooks shows what it knows of.';
    return [{ about, state: 'warning', what: 'the hook has not run yet', next }];
  }
  const checks: Check[] = [
    { about, state: 'ok', what: `last run ${last.time}${last.event === '' ? '' : ` (${last.event})`}` },
  ];
  const error = lines.findLast(({ level }) => level === 'error');
  if (error !== undefined)
    checks.push({
      about,
      state: isRecent(error, lines) ? 'bad' : 'warning',
      what: withoutAddressKeys(`last error ${error.time}: ${error.what}`),
    });
  const waiting = unfinished(places, now).length;
  if (waiting > 0)
    checks.push({
      about,
      state: 'warning',
      what: `${waiting} sessions have something left to send`,
      next: 'The next run goes on with them.',
    });
  return checks;
}

/** In the last run. */
function isRecent(error: LogLine, lines: readonly LogLine[]): boolean {
  const end = lines.findLastIndex(({ what }, place) => what === 'done' && place < lines.length - 1);
  return lines.indexOf(error) > end;
}

interface Asked {
  readonly dialect: 'langfuse' | 'otlp';
  readonly url?: string;
}

function destinationsIn(command: string): Asked[] {
  const { options: words } = callIn(command);
  const url = words[words.indexOf('--otlp') + 1];
  return [
    ...(words.includes('--langfuse') ? [{ dialect: 'langfuse' } as const] : []),
    ...(words.includes('--otlp') ? [{ dialect: 'otlp', url } as const] : []),
  ];
}

function opened(dialect: Asked['dialect'], url: string | undefined, settings: Settings): Endpoint | Check {
  try {
    return endpointOf(dialect, settings, url);
  } catch (error) {
    const next = error instanceof Error && 'next' in error ? String(error.next) : 'Check the environment.';
    return { about: 'keys', state: 'bad', what: error instanceof Error ? error.message : String(error), next };
  }
}

/** A file that cannot be understood counts as none: then keys are missing that stand there. */
function keyFileCheck({ keys }: HookPlaces): Check[] {
  if (!existsSync(keys) || readJsonObject(keys) !== undefined) return [];
  const next = 'Make it an object such as {"LANGFUSE_PUBLIC_KEY":"pk-…"}, or delete it.';
  return [{ about: 'keys', state: 'bad', what: `${keys} is not a JSON object: it counts as none`, next }];
}

function keyChecks({ dialect }: Endpoint, { places, env }: CheckQuery): Check[] {
  const about = 'keys';
  const checks: Check[] = [];
  const kept = settingsOf({}, places.folder);
  const names = SETTING_NAMES.filter((name) => name.startsWith(dialect === 'langfuse' ? 'LANGFUSE' : 'OTEL'));
  const onlyHere = names.filter((name) => env[name] && !kept[name]);
  if (onlyHere.length > 0) {
    const what = `${onlyHere.join(', ')}: only in this environment; the client must be started with it too`;
    checks.push({ about, state: 'warning', what, next: 'skein hook install … --save-keys keeps them.' });
  } else if (names.some((name) => kept[name])) checks.push({ about, state: 'ok', what: `kept in ${places.keys}` });
  if (isExposed(places.keys)) {
    const what = 'others on this machine can read the keys';
    checks.push({ about, state: 'warning', what, next: `Run: chmod 600 ${places.keys}` });
  }
  return checks;
}

/** Others go through one, and so may wonder. Names only: an address of a proxy may hold a password. */
function proxyCheck({ url, shown }: Endpoint, env: Settings): Check[] {
  const names = url.startsWith('https:') ? ['HTTPS_PROXY', 'ALL_PROXY'] : ['HTTP_PROXY', 'ALL_PROXY'];
  const set = names.flatMap((name) => [name, name.toLowerCase()]).filter((name) => env[name]);
  if (set.length === 0) return [];
  const what = `${set.join(', ')} is set and not used: spans go straight to ${shown}`;
  const next =
    'Where only the proxy leads there, send to a collector that can be reached: skein hook install --otlp URL';
  return [{ about: 'network', state: 'warning', what, next }];
}

/** Spans of tomorrow or yesterday are there, but not where one looks. */
const SKEW_MS = 60_000;

async function serverChecks(endpoint: Endpoint, settings: Settings, { version, now }: CheckQuery): Promise<Check[]> {
  const [problem, skew] = await Promise.all([sendTestSpan(endpoint, version, now), clockSkew(endpoint)]);
  const about = 'server';
  const checks: Check[] = [
    problem === undefined
      ? { about, state: 'ok', what: `a test span was taken by ${endpoint.shown}` }
      : {
          about,
          state: 'bad',
          what: withoutKeys(`${endpoint.shown} did not take a test span: ${problem}`, settings),
          next: 'Check the address, the keys and the network.',
        },
  ];
  if (skew !== undefined && Math.abs(skew) > SKEW_MS) {
    const what = `the clock here is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? 'ahead of' : 'behind'} the server's`;
    checks.push({ about: 'clock', state: 'warning', what, next: 'Set it; traces carry the times of this machine.' });
  }
  return checks;
}
