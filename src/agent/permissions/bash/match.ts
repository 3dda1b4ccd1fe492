/** Whether a rule about commands speaks of one. To forbid it is enough that it might; to allow it has to be certain. */
import { isHarmless } from '../shell/environment.ts';
import type { Word } from '../shell/types.ts';
import { programOf } from '../shell/unwrap.ts';
import { RUNNERS } from '../shell/wrappers.ts';
import type { Rule } from '../types.ts';
import { commandPattern, type Pattern } from '../wildcard.ts';
import type { Part } from './parts.ts';

/** Stands for what is not known; no rule holds it. */
const UNKNOWN = '\u0001';

export function covers(rule: Rule, part: Part): boolean {
  if (rule.spec === undefined || rule.problem !== undefined) return rule.problem === undefined;
  const { command, risks, inner } = part;
  const pattern = commandPattern(rule.spec);
  if (command.words.length === 0) return false;
  const isNamed =
    pattern.exact || (risks.every(({ at }) => pattern.words > at) && inner.every(({ from }) => pattern.words > from));
  if (!isNamed) return false;
  if (!command.assigns.every(({ name }) => isHarmless(name))) return false;
  const isKnown = command.words.every(({ known }) => known);
  return (
    pattern.matches(quotedLine(command.words)) || (isKnown && isOneLine(command.raw) && pattern.matches(command.raw))
  );
}

function isOneLine(raw: string): boolean {
  return !raw.includes('\n');
}

/** Quotes where a word needs them, so that no word passes for two. */
function quotedLine(words: readonly Word[]): string {
  return words
    .map(({ text, known, glob, raw }) => {
      if (!known) return UNKNOWN;
      if (glob) return raw;
      return /^[\w@%+=:,./~^-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
    })
    .join(' ');
}

export type Hit = 'yes' | 'maybe' | 'no';

export function forbids(rule: Rule, part: Part): Hit {
  if (rule.spec === undefined || rule.problem !== undefined) return 'yes';
  const pattern = commandPattern(rule.spec);
  const { words, raw, assigns } = part.command;
  if (words.length === 0) return 'no';
  const ways = waysToCall(part);
  if (pattern.matches(raw) || ways.some((way) => pattern.matches(lineOf(way)) || pattern.matches(quotedLine(way))))
    return 'yes';
  if (assigns.some(({ name }) => pattern.head.startsWith(`${name}=`))) return 'maybe';
  if (ways.some((way) => couldBe(pattern, way))) return 'maybe';
  // Somewhere in the arguments of a program that runs some of them.
  const isRunner = RUNNERS.has(programOf(part.command)) && part.inner.every(({ parts }) => parts.length === 0);
  return isRunner && words.some((_, i) => i > 0 && pattern.matches(lineOf(words.slice(i)))) ? 'maybe' : 'no';
}

function lineOf(words: readonly Word[]): string {
  return words.map(({ text, known }) => (known ? text : `${text}${UNKNOWN}`)).join(' ');
}

function couldBe(pattern: Pattern, words: readonly Word[]): boolean {
  const at = words.findIndex(({ known, glob }) => !known || glob);
  if (at === -1) return false;
  const certain = words.slice(0, at).map(({ text }) => text);
  const start = words[at]?.glob ? '' : (words[at]?.text ?? '');
  return pattern.couldMatch([...certain, start].join(' '));
}

/** By its path, in other letters, or with options before what it is told to do. */
function waysToCall({ command }: Part): (readonly Word[])[] {
  const [first, ...rest] = command.words;
  if (first === undefined) return [];
  const named = { ...first, text: programOf(command) || first.text };
  const folded = { ...named, text: named.text.toLowerCase() };
  return [
    command.words,
    ...[named, folded].flatMap((program) => withoutOptions(rest).map((words) => [program, ...words])),
  ];
}

/** As they are, without the options at the start, and without the word behind the last of them, which may be its value. */
function withoutOptions(words: readonly Word[]): (readonly Word[])[] {
  const ways: (readonly Word[])[] = [words];
  for (let at = 0; words[at]?.text.startsWith('-'); ) {
    at += 1;
    ways.push(words.slice(at));
    // The value of an option; more options may follow.
    if (words[at] !== undefined && !words[at]?.text.startsWith('-')) {
      at += 1;
      ways.push(words.slice(at));
    }
  }
  return ways;
}
