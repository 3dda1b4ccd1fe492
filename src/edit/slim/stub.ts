/**
 * What stands where something was removed: what it was, and the command that shows the original. Documented in
 * docs/surgery.md; agents follow it.
 */
import { asObject, asString, type JsonObject } from '../../format/json.ts';

/** Where the original of a line is. */
export interface Original {
  readonly session: string;
  readonly uuid: string | undefined;
}

/** `session` is the one that the line stands in; a line that was copied says itself where it stood first (S6). */
export function originalOf(value: JsonObject, session: string): Original {
  const known = asObject(value.forkedFrom);
  const uuid = asString(known?.messageUuid);
  if (uuid !== undefined) return { session: asString(known?.sessionId) ?? session, uuid };
  return { session, uuid: asString(value.uuid) };
}

/** One line of a session. */
export function stubFor(what: string, original: Original): string {
  return `[skein: ${what} removed; original: ${commandFor('cat', '--uuid', original)}]`;
}

/** A whole turn. */
export function turnStubFor(what: string, original: Original): string {
  return `[skein: ${what} removed; original: ${commandFor('show', '--turn', original)} --tools full]`;
}

const SHORT_ID = 8;

function commandFor(verb: string, option: string, { session, uuid }: Original): string {
  const selector = session.slice(0, SHORT_ID);
  return uuid === undefined ? `skein ${verb} ${selector}` : `skein ${verb} ${selector} ${option} ${uuid}`;
}

const OPENING = '[skein: ';
/** What a text was that is shortened already. */
const SHORTENED = /\n\[skein: (\d+) characters of /;

/** No longer than the limit, or than a stub: its beginning and end with a stub between, or the stub alone. */
export function shortened(text: string, limit: number, what: string, original: Original): string {
  if (text.length <= limit) return text;
  const length = SHORTENED.exec(text)?.[1] ?? text.length;
  const stub = stubFor(`${length} characters of ${what}`, original);
  if (text.length <= stub.length || isStub(text)) return text;
  const room = limit - stub.length - 2;
  if (room < stub.length / 2) return stub;
  const head = Math.floor((room * 2) / 3);
  return `${whole(text.slice(0, head), 'start')}\n${stub}\n${whole(text.slice(text.length - (room - head)), 'end')}`;
}

export function isStub(text: string): boolean {
  return text.startsWith(OPENING) && text.endsWith(']') && !text.includes('\n');
}

/** A character outside of the basic plane is two units: half of one is none. */
function whole(text: string, side: 'start' | 'end'): string {
  const at = side === 'start' ? text.length - 1 : 0;
  const unit = text.charCodeAt(at);
  const isHalf = side === 'start' ? unit >= 0xd800 && unit < 0xdc00 : unit >= 0xdc00 && unit < 0xe000;
  if (!isHalf) return text;
  return side === 'start' ? text.slice(0, -1) : text.slice(1);
}

/** `Bash ×3, Read`. */
export function countedNames(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => name || 'unknown');
  return [...counts].map(([name, each]) => (each.length === 1 ? name : `${name} ×${each.length}`)).join(', ');
}
