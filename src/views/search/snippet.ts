/** The place of a text where the match stands, short enough to read at a glance. */
import type { Matcher, Span } from './match.ts';

export interface Snippet {
  readonly text: string;
  /** Where the words stand in it. */
  readonly highlights: readonly Span[];
}

export interface SnippetOptions {
  readonly length?: number;
  /** Given what lies around, so that what is to be masked is not cut in two. */
  readonly mask?: (text: string) => string;
}

const LENGTH = 200;
/** Seen by the mask on both sides: a private key begins far before its end. */
const AROUND = 24 << 10;

export function snippetOf(text: string, matcher: Matcher, { length = LENGTH, mask }: SnippetOptions = {}): Snippet {
  const [first] = matcher.spans(text, 1);
  const place = first?.start ?? 0;
  const from = Math.max(0, place - AROUND);
  const near = text.slice(from, (first?.end ?? 0) + AROUND);
  const shown = mask ? mask(near) : near;
  // What was found may have been masked: then its place is only roughly known.
  const found =
    shown === near ? place - from : (matcher.spans(shown, 1)[0]?.start ?? Math.min(place - from, shown.length));
  return window(shown, found, length, matcher);
}

/** A third before the match, or more where the text ends, cut between words where one is near; white space drawn together. */
function window(text: string, place: number, length: number, matcher: Matcher): Snippet {
  const earliest = Math.min(place - Math.floor(length / 3), text.length - length);
  const start = wordStart(text, Math.max(0, earliest), place);
  const end = wordEnd(text, Math.min(text.length, start + length), place);
  const part = text.slice(start, end).replace(/\s+/g, ' ').trim();
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : ''];
  // Looked for without the dots: plain ASCII is the quicker.
  const highlights = matcher.spans(part).map((span) => ({
    start: span.start + before.length,
    end: span.end + before.length,
  }));
  return { text: `${before}${part}${after}`, highlights };
}

const NEAR = 20;

function wordStart(text: string, at: number, most: number): number {
  if (at === 0) return 0;
  const space = /\s/.exec(text.slice(at, Math.min(at + NEAR, most)));
  return whole(text, space ? at + space.index + 1 : at);
}

function wordEnd(text: string, at: number, least: number): number {
  if (at >= text.length) return text.length;
  const from = Math.max(least, at - NEAR);
  const space = text.slice(from, at).lastIndexOf(' ');
  return whole(text, space > 0 ? from + space : at);
}

/** Not between the two halves of a character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
