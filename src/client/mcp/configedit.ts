/** The text of a configuration with our entry in it, or without: all else stays as it was written, spaces and line ends too. */
import type { Node } from 'jsonc-parser';
import { isObject, type JsonObject, parseJson } from '../../format/json.ts';
import { appendTo, removeFrom, replaced, styleOf, treeOf } from '../hook/jsontext.ts';
import { memberOf } from '../hook/settingstree.ts';

const SERVERS = 'mcpServers';

/** `before` is JSON that holds `config`, or nothing; `entry` undefined: the server of that name is taken out. */
export function textWith(before: string, config: JsonObject, name: string, entry: JsonObject | undefined): string {
  const servers = isObject(config[SERVERS]) ? config[SERVERS] : {};
  const { [name]: _, ...others } = servers;
  const edited = { ...config, [SERVERS]: entry === undefined ? others : { ...servers, [name]: entry } };
  const tree = before.trim() === written(config, before) ? undefined : treeOf(before);
  if (tree === undefined || typeof tree === 'string') return written(edited, before) + endOf(before);
  return entry === undefined ? without(before, tree, name) : withEntry(before, tree, name, entry);
}

/** As the client writes it. */
function written(config: JsonObject, before: string): string {
  // In a string of JSON there is no line end.
  return JSON.stringify(config, null, indentOf(before)).replaceAll('\n', newlineOf(before));
}

function withEntry(text: string, root: Node, name: string, entry: JsonObject): string {
  const { unit, eol } = styleOf(text);
  const shown = (value: JsonObject, indent: string) => JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
  const servers = memberOf(root, SERVERS);
  const old = memberOf(servers, name);
  if (old !== undefined) {
    const line = text.slice(text.lastIndexOf('\n', old.offset) + 1, old.offset);
    return replaced(text, old, shown(entry, /^[ \t]*/.exec(line)?.[0] ?? ''));
  }
  if (servers !== undefined) return appendTo(text, servers, (indent) => `"${name}": ${shown(entry, indent)}`);
  return appendTo(text, root, (indent) => `"${SERVERS}": ${shown({ [name]: entry }, indent)}`);
}

function without(text: string, root: Node, name: string): string {
  const servers = memberOf(root, SERVERS);
  const member = memberOf(servers, name)?.parent;
  return servers && member ? removeFrom(text, servers, member) : text;
}

/** Of copies that were made before a change, newest first: the one that says what is left without our entry. */
export function asItWas(copies: Iterable<string>, config: JsonObject, name: string): string | undefined {
  const { [SERVERS]: servers, ...rest } = config;
  const { [name]: _, ...others } = isObject(servers) ? servers : {};
  const left = [JSON.stringify({ ...config, [SERVERS]: others })];
  if (Object.keys(others).length === 0) left.push(JSON.stringify(rest));
  for (const text of copies) if (left.includes(JSON.stringify(parseJson(text)))) return text;
  return undefined;
}

function indentOf(text: string): string | number {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? (text.startsWith('{"') ? 0 : 2);
}

function newlineOf(text: string): string {
  return /^\{\r\n/.test(text) ? '\r\n' : '\n';
}

function endOf(text: string): string {
  return text === '' || text.endsWith('\n') ? newlineOf(text) : '';
}
