/** Our entry in the client's own configuration: added beside what is there, nothing else is changed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { DiskError } from '../../disk/errors.ts';
import { asArray, asObject, asString, at, isObject, type JsonObject, parseJson } from '../../format/json.ts';
import { configTextIfAny } from '../configtext.ts';
import { asItWas, textWith } from './configedit.ts';

export const SERVER_NAME = 'skein';

const PROJECT_CONFIG = '.mcp.json';
const COPY = '.before-skein';

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
}

export interface ConfigQuery {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** For all projects of this user: in HOME, or in the config folder when one is set. */
export function userConfig({ env, home }: ConfigQuery): string {
  return join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
}

/** For everyone who works on a project: in its folder, kept with its sources. */
export function projectConfig(folder: string): string {
  return join(folder, PROJECT_CONFIG);
}

export interface Change {
  readonly file: string;
  readonly changed: boolean;
  /** Where the file as it was is kept. */
  readonly backup: string | undefined;
}

export interface ChangeOptions {
  readonly dryRun: boolean;
}

interface ServerOptions extends ChangeOptions {
  /** What the user may do where the file is not touched. */
  readonly byHand: string;
}

export function addServer(file: string, { command, args }: StdioServer, options: ServerOptions): Change {
  return change(file, options, (servers) => ({
    ...oursIn(servers, file),
    type: 'stdio',
    command,
    args: [...args],
  }));
}

export function removeServer(file: string, options: ServerOptions): Change {
  return change(file, options, (servers) => {
    oursIn(servers, file);
    return undefined;
  });
}

/** Throws DiskError where a server of another program has the name. */
function oursIn(servers: JsonObject, file: string): JsonObject | undefined {
  const { [SERVER_NAME]: entry } = servers;
  if (entry === undefined) return undefined;
  const parts = [at(entry, 'command'), ...(asArray(at(entry, 'args')) ?? [])].map(asString);
  if (parts.some((part) => /(?:^|[\\/])skein(?:\.\w+)?$/.test(part ?? '')) && parts.includes('mcp'))
    return asObject(entry);
  const next = `It was not touched. If it is not needed any more: claude mcp remove ${SERVER_NAME}`;
  throw new DiskError({ what: `another server has the name "${SERVER_NAME}"`, where: file, next });
}

type Unlike = (where: string, why: string) => DiskError;

/** `entryIn`: what is to stand there, undefined for nothing. Throws DiskError; the file is then as it was. */
function change(
  file: string,
  { dryRun, byHand }: ServerOptions,
  entryIn: (servers: JsonObject) => JsonObject | undefined,
): Change {
  const unlike: Unlike = (where, why) =>
    new DiskError({ what: `cannot change the configuration: ${why}`, where, next: `It was not touched. ${byHand}` });
  const before = configTextIfAny(file, unlike);
  const config = before === undefined || before.trim() === '' ? {} : parsed(file, before, unlike);
  const servers = config.mcpServers === undefined ? {} : asObject(config.mcpServers);
  if (servers === undefined) throw unlike(file, '"mcpServers" is not an object');
  const entry = entryIn(servers);
  if (JSON.stringify(entry) === JSON.stringify(servers[SERVER_NAME]))
    return { file, changed: false, backup: undefined };
  const backup = before === undefined ? undefined : freeName(file + COPY);
  if (!dryRun) {
    if (backup !== undefined && before !== undefined)
      writeFileAtomic(backup, Buffer.from(before), { mode: 0o600, exclusive: true });
    const copy = entry === undefined ? asItWas(copiesOf(file), config, SERVER_NAME) : undefined;
    const text = copy ?? textWith(before ?? '', config, SERVER_NAME, entry);
    // The client writes this file whenever it likes.
    const onReady = () => {
      if (configTextIfAny(file, unlike) !== before) throw changedMeanwhile(file);
    };
    writeFileAtomic(file, Buffer.from(text), { onReady });
  }
  return { file, changed: true, backup };
}

function changedMeanwhile(file: string): DiskError {
  const next = 'It was not touched. Run it again.';
  return new DiskError({ what: 'another program changed the configuration at the same moment', where: file, next });
}

/** No copy takes the place of an earlier one. */
export function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = numbered(path, number);
    if (!existsSync(name)) return name;
  }
}

const numbered = (path: string, number: number) => (number === 1 ? path : `${path}-${number}`);

/** The newest first. */
function copiesOf(file: string): string[] {
  const texts: string[] = [];
  for (let number = 1; existsSync(numbered(file + COPY, number)); number += 1)
    texts.unshift(readFileSync(numbered(file + COPY, number), 'utf8'));
  return texts;
}

/** Only what comes out of JSON.stringify as it went in is written again: 1.0 or an id too large for a number would not. */
function parsed(file: string, text: string, unlike: Unlike): JsonObject {
  const value = parseJson(text);
  if (value === undefined) throw unlike(file, `it is not JSON${hintOf(text)}`);
  if (!isObject(value)) throw unlike(file, 'it is not a JSON object');
  if (JSON.stringify(value) !== compact(text)) throw unlike(file, 'writing it again would change more than our entry');
  return value;
}

function hintOf(text: string): string {
  if (text.startsWith('\uFEFF')) return ' (it begins with a byte order mark)';
  return /^\s*\/[/*]/m.test(text) ? ' (there are comments in it)' : '';
}

/** Without the white space between values. Strings are passed over quote by quote: some hold megabytes. */
function compact(text: string): string {
  let out = '';
  let from = 0;
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', from)) {
    const end = endOfString(text, quote);
    out += text.slice(from, quote).replace(/\s+/g, '') + text.slice(quote, end);
    from = end;
  }
  return out + text.slice(from).replace(/\s+/g, '');
}

function endOfString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}
