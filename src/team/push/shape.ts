/** How much of what a file holds may leave: one shape for each session, made for its content level. */
import { createHash } from 'node:crypto';
import { orNothing } from '../../disk/errors.ts';
import type { Entry, ParsedEntry } from '../../format/entry.ts';
import { headOf } from '../../format/head.ts';
import { asString, isObject, type JsonObject, parseJson } from '../../format/json.ts';
import { kindOf } from '../../format/kinds.ts';
import type { RawLine } from '../../format/lines.ts';
import { projectSlug } from '../../format/slug.ts';
import { createRedactor, PERSON } from '../../redact/redactor.ts';
import { projectPseudonym } from '../identity.ts';
import type { Content } from '../rows.ts';
import { metaStructure, structureOf } from './structure.ts';

/** A line as it is sent. */
export interface Shaped extends ParsedEntry {
  readonly text: string;
  /** Its uuid, or a hash of its structure, which is the same at every content level. */
  readonly id: string;
}

/** Why a line stays here: it could not be scanned for secrets, it is no entry, it is too long, or its folder is denied. */
export type HeldWhy = 'unscanned' | 'unreadable' | 'too-long' | 'denied';

export interface Shape {
  readonly content: Content;
  /** First pass: everything of the session is shown to it before anything is asked of it. */
  learn(json: JsonObject | string): void;
  line(parsed: ParsedEntry, raw: RawLine): Shaped | HeldWhy;
  /** A name beside the lines: a branch, a title, a file. '' where none may leave. */
  name(text: string | undefined): string;
  /** An id of the API or the client; one of another form is only told apart. */
  id(text: string): string;
  /** A tool, a model, a tier: what the API and the client name. */
  term(text: string): string;
  /** The path of a project, as it may be called. */
  project(path: string): string;
  slug(slug: string): string;
  /** A small file; undefined when it stays here. */
  body(kind: string, text: string): string | undefined;
  /** How often a secret was masked. */
  readonly masked: number;
}

export interface ShapeOptions {
  readonly content: Content;
  readonly home: string;
  /** At content none: whether projects are called by their path. */
  readonly paths: boolean;
}

/** A row much larger than this would not fit into a request. */
const LONGEST = 32 << 20;

export function createShape(options: ShapeOptions): Shape {
  const redactor = createRedactor({ home: options.home });
  let masked = 0;
  const names = new Map<string, string>();

  function redact(value: JsonObject | string): JsonObject | string | undefined {
    const shown = orNothing(() => redactor.redact(value));
    if (shown === undefined) return undefined;
    for (const { kind, times } of shown.found) if (kind !== PERSON) masked += times;
    return isObject(shown.value) || typeof shown.value === 'string' ? shown.value : undefined;
  }

  function redacted(text: string): string {
    const known = names.get(text) ?? asString(orNothing(() => redactor.redact(text))?.value) ?? '';
    if (names.size < 1000) names.set(text, known);
    return known;
  }

  /** A home folder that does not lie where homes do. */
  const ownSlug = projectSlug(options.home);
  const homeless = (slug: string) =>
    ownSlug.length > 3 && (slug === ownSlug || slug.startsWith(`${ownSlug}-`))
      ? `-home-user${slug.slice(ownSlug.length)}`
      : slug;

  const { content } = options;
  const isNone = content === 'none';
  const cwdOf = (cwd: string) => (options.paths ? redacted(cwd) : `/${projectPseudonym(tilde(cwd, options.home))}`);
  return {
    content,
    learn: (json) => {
      if (content === 'masked' || (isNone && options.paths)) orNothing(() => redactor.learn(json));
    },
    line(parsed, raw) {
      if (raw.bytes.length > LONGEST) return 'too-long';
      const { entry, json } = parsed;
      if (entry.kind === 'blank') return { ...parsed, text: '', id: idOf('') };
      if (json === undefined) {
        if (content !== 'full') return 'unreadable';
        const text = textOf(raw.bytes);
        return { ...parsed, text, id: idOf(text) };
      }
      const id = lineId(entry, json);
      if (content === 'full') return { ...parsed, text: textOf(raw.bytes), id };
      const value = isNone ? structureOf(entry, json, cwdOf(entry.head.cwd ?? '')) : redact(json);
      const text = isObject(value) ? orNothing(() => JSON.stringify(value)) : undefined;
      if (!isObject(value) || text === undefined) return 'unscanned';
      if (text.length > LONGEST) return 'too-long';
      return { ...parsedAgain(entry, value, text), text, id };
    },
    name: (text) => {
      if (text === undefined || isNone) return '';
      return content === 'full' ? text : redacted(text);
    },
    id: (text) => {
      if (content === 'full' || text === '' || USUAL_ID.test(text)) return text;
      return (isNone ? ID.test(text) : redacted(text) === text) ? text : idOf(text);
    },
    term: (text) => (isNone ? (TERM.test(text) ? text : '') : content === 'full' ? text : redacted(text)),
    project: (path) => (content === 'full' ? path : isNone ? cwdOf(path) : redacted(path)),
    slug: (slug) => (content === 'full' ? slug : isNone ? projectSlug(cwdOf(slug)) : redacted(homeless(slug))),
    body(kind, text) {
      if (text.length > LONGEST) return undefined;
      if (content === 'full') return text;
      const json = kind === 'tool-result' ? undefined : parseJson(text);
      if (isNone) return kind === 'agent-meta' && isObject(json) ? JSON.stringify(metaStructure(json)) : undefined;
      if (kind !== 'tool-result' && !isObject(json)) return undefined;
      const shown = redact(isObject(json) ? json : text);
      return typeof shown === 'string' ? shown : shown && JSON.stringify(shown);
    },
    get masked() {
      return masked;
    },
  };
}

/** Without what the policy may call otherwise. */
function lineId(entry: Entry, json: JsonObject): string {
  return entry.head.uuid !== undefined && ID.test(entry.head.uuid)
    ? entry.head.uuid
    : idOf(orNothing(() => JSON.stringify(structureOf(entry, json, undefined))) ?? '');
}

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
/** As the API and the client make them. */
const USUAL_ID = /^(?:(?:msg|req|toolu|srvtoolu)_[A-Za-z0-9]{1,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const TERM = /^<?[A-Za-z][A-Za-z0-9_.:@-]{0,127}>?$/;

function idOf(text: string): string {
  return `x-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The entry that a reader will find in the line as it is sent. */
function parsedAgain({ line }: Entry, json: JsonObject, text: string): ParsedEntry {
  const head = headOf(json);
  let bytes: Buffer | undefined;
  const source = {
    name: '',
    read: (start: number, end: number) => {
      bytes ??= Buffer.from(text);
      return bytes.subarray(start, end);
    },
  };
  // As if it stood alone.
  const alone = { ...line, start: 0, end: Buffer.byteLength(text) };
  return { entry: { source, line: alone, kind: kindOf(head), head }, json };
}

export function tilde(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) || path.startsWith(`${home}\\`)
    ? `~${path.slice(home.length)}`
    : path;
}
