/** Recorded sessions with a secret in every string, and a search for what is left of them however it is written. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isObject, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { FIXTURES } from '../support/files.ts';
import { SAMPLES, type Sample } from './samples.ts';

/** Without these a line would no longer be what it is, and would not be exported at all. */
const STRUCTURE = new Set(
  'type subtype role uuid parentUuid logicalParentUuid sessionId session_id timestamp id tool_use_id toolUseId leafUuid messageId agentId parentToolUseID toolUseID sourceToolAssistantUUID requestRef promptId anchorUuid headUuid tailUuid parentAgentId operation kind status name origin trigger'.split(
    ' ',
  ),
);

export interface Planting {
  /** Which sample comes next. */
  next: number;
  /** In the strings that make a line what it is, one of them a line; else in all others. */
  readonly structure: boolean;
  /** `type.path` → the rules whose secrets stand there. */
  readonly places: Map<string, Set<string>>;
}

export function planting(structure: boolean, start = 0): Planting {
  return { next: start, structure, places: new Map() };
}

export function sampleOf(place: number): Sample {
  const sample = SAMPLES[place % SAMPLES.length];
  if (sample === undefined) throw new Error('there are no samples');
  return sample;
}

/** Every file of a recorded scenario, planted, below a config folder. */
export function plantScenario(version: string, scenario: string, root: string, plan: Planting): void {
  const from = join(FIXTURES, 'recorded', version, scenario);
  for (const file of globSync('**/projects/**/*', { cwd: from, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const to = join(root, 'projects', relative(from, path).replace(/^.*?projects\//, ''));
    mkdirSync(dirname(to), { recursive: true });
    const text = readFileSync(path, 'utf8');
    if (file.name.endsWith('.jsonl'))
      writeFileSync(
        to,
        text
          .split('\n')
          .map((line) => plantLine(line, plan))
          .join('\n'),
      );
    else if (file.name.endsWith('.json')) writeFileSync(to, plantLine(text, plan));
    else writeFileSync(to, `${text}\n${take(plan, 'tool-results', file.name).text}\n`);
  }
}

export function plantLine(line: string, plan: Planting): string {
  const json = parseJson(line);
  if (!isObject(json)) return line;
  if (!plan.structure && !placesOf(json, typeOf(json)).some((place) => (plan.places.get(place)?.size ?? 0) < ENOUGH))
    return line;
  const type = typeOf(json);
  let structural = plan.structure ? 1 : 0;
  let nth = plan.next % 7;
  const visit = (value: Json, path: string, name: string): Json => {
    if (Array.isArray(value)) return value.map((each) => visit(each, `${path}[]`, name));
    if (isObject(value)) return visitObject(value, path);
    if (typeof value !== 'string') return value;
    if (STRUCTURE.has(name) !== plan.structure) return value;
    if (!plan.structure) return `${value}\n${take(plan, type, path).text}`;
    nth -= 1;
    if (structural === 0 || nth >= 0) return value;
    structural -= 1;
    return take(plan, type, path).text;
  };
  const visitObject = (object: JsonObject, path: string): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, each]) => [
        name,
        each === undefined ? undefined : visit(each, `${path}.${name}`, name),
      ]),
    );
  return JSON.stringify(visitObject(json, ''));
}

/** So many kinds of secrets in one place; more of the same lines are left as they were. */
const ENOUGH = 4;

function typeOf(json: JsonObject): string {
  const inner = isObject(json.attachment) ? json.attachment.type : undefined;
  return `${json.type ?? ''}/${json.subtype ?? inner ?? ''}`;
}

function placesOf(value: Json, path: string, name = ''): string[] {
  if (typeof value === 'string') return STRUCTURE.has(name) ? [] : [path];
  if (Array.isArray(value)) return value.flatMap((each) => placesOf(each, `${path}[]`, name));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    each === undefined ? [] : placesOf(each, `${path}.${key}`, key),
  );
}

function take(plan: Planting, type: string, path: string): Sample {
  const sample = sampleOf(plan.next);
  plan.next += 1;
  const place = `${type}${path}`;
  plan.places.set(place, (plan.places.get(place) ?? new Set()).add(sample.rule));
  return sample;
}

/** The rules whose secrets are in a text as they are, or in any writing of them that a file may use. */
export function survivors(text: string): string[] {
  const plain = text.replace(/\\(?=[\\`*_[\]<>#|])/g, '');
  const found = NEEDLES.filter(({ needles }) =>
    needles.some((needle) => text.includes(needle) || plain.includes(needle)),
  );
  return [...new Set(found.map(({ rule }) => rule))];
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const NEEDLES = SAMPLES.map(({ rule, secret, heart = secret, left = secret }) => ({
  rule,
  needles: [...new Set([secret, heart, left].flatMap(partsOf).flatMap(writings))],
}));

/** Of what goes over several lines every line counts. */
function partsOf(secret: string): string[] {
  const lines = secret.split(/\n|\\n/).filter((line) => line.length >= 40 && !line.startsWith('-----'));
  return lines.length > 1 ? lines : [secret];
}

function writings(secret: string): string[] {
  const once = JSON.stringify(secret).slice(1, -1);
  const html = (numeric: boolean) =>
    secret.replace(/[&<>"']/g, (each) => (numeric ? `&#${each.charCodeAt(0)};` : (NAMED[each] ?? each)));
  return [
    secret,
    once,
    JSON.stringify(once).slice(1, -1),
    encodeURIComponent(secret),
    html(true),
    html(false),
    ...base64(secret),
  ];
}

/** As it may stand in the middle of something encoded: at each of three offsets, without the ends that depend on what is around. */
function base64(secret: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const whole = Math.floor(bytes.length / 3) * 3;
    return bytes
      .subarray(0, whole)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4);
  });
}
