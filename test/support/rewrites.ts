/** Sessions slimmed, compressed and repaired in memory, and what must hold of the results, whatever the source holds. */
import { expect } from 'vitest';
import type { Cloned } from '../../src/edit/clone.ts';
import { type CompressOptions, compress } from '../../src/edit/compress/compress.ts';
import { draftOf, type Edited } from '../../src/edit/draft.ts';
import { repair } from '../../src/edit/repair/repair.ts';
import type { CallRules } from '../../src/edit/slim/regions.ts';
import type { SlimSettings } from '../../src/edit/slim/settings.ts';
import { type SlimReport, slim } from '../../src/edit/slim/slim.ts';
import type { Entry } from '../../src/format/entry.ts';
import { asString } from '../../src/format/json.ts';
import { inputKind, isHumanTurnStart, promptText } from '../../src/format/prompt.ts';
import { decode } from '../../src/format/text.ts';
import { context } from '../../src/graph/context/context.ts';
import { CLONE_ID, countedUuids, expectSound, readWritten, SOURCE_ID, writtenBytes } from './edit-properties.ts';
import { entriesOf } from './resume-cases.ts';

const NOW = '2027-01-02T03:04:05.000Z';

/** New uuids are counted from one in each run, and never those of another. */
function target(from: string) {
  const [made, given] = [countedUuids(), countedUuids()];
  return { from, now: NOW, sessionId: CLONE_ID, freshUuid: given, madeUuid: () => made().replace('f4e5', 'aade') };
}

function written(edited: Edited, from: string, title?: string): Cloned {
  const { now, sessionId, freshUuid } = target(from);
  return draftOf(edited, { from, now, sessionId, freshUuid, ...(title !== undefined && { title }) });
}

export interface SlimmedSession {
  readonly draft: Cloned;
  readonly entries: readonly Entry[];
  readonly report: SlimReport;
}

export function slimmed(
  entries: readonly Entry[],
  settings: SlimSettings,
  { rules = {}, from = SOURCE_ID }: { readonly rules?: CallRules; readonly from?: string } = {},
): SlimmedSession {
  const { madeUuid, now } = target(from);
  const made = slim(entries, { settings, rules, from, now, freshUuid: madeUuid });
  const draft = written(made, from, 'T (slim)');
  return { draft, entries: readWritten(draft), report: made.report() };
}

export function compressed(
  entries: readonly Entry[],
  options: Pick<CompressOptions, 'keep' | 'tools' | 'title'>,
): Cloned | undefined {
  const { madeUuid, now, from } = target(SOURCE_ID);
  const made = compress(entries, { ...options, from, now, freshUuid: madeUuid });
  return made && written(made, from);
}

export function repaired(entries: readonly Entry[], options: { readonly rejoin?: boolean } = {}) {
  const { madeUuid, from } = target(SOURCE_ID);
  const { findings, ...made } = repair(entries, { ...options, freshUuid: madeUuid });
  return { findings, draft: written({ ...made, notes: [] }, from) };
}

/** What the context says in words, from both sides. */
export function wordsSent(entries: readonly Entry[]): string {
  const blocks = context(entries).messages.flatMap(({ content }) => content);
  return blocks.map((block) => asString(block.text) ?? '').join('\n');
}

/** The prompts of a session that its context holds. */
export function promptsSent(entries: readonly Entry[]): string[] {
  const words = wordsSent(entries);
  return entries
    .filter((entry) => !entry.head.isSidechain && isHumanTurnStart(inputKind(entry)))
    .flatMap((entry) => promptText(entry).split('[image]'))
    .map((text) => text.trim())
    .filter((text) => text !== '' && words.includes(text));
}

function expectPrompts(source: readonly Entry[], result: readonly Entry[]): void {
  const words = wordsSent(result);
  for (const prompt of promptsSent(source)) expect(words).toContain(prompt);
}

/** S7: where an entry came from is an id, too. */
function withoutIds(draft: Cloned): string {
  return decode(writtenBytes(draft)).replace(/,"forkedFrom":\{[^}]*\}/g, '');
}

/** A session that says nothing to the model cannot be slimmed. */
const saysNothing = (entries: readonly Entry[]) => context(entries).messages.length === 0;

export function checkSlim(text: string, settings: SlimSettings): void {
  const source = entriesOf(text);
  if (saysNothing(source)) return;
  const once = slimmed(source, settings);
  expectSound(once.draft);
  expectPrompts(source, once.entries);
  expect(once.report.tokens.after).toBeLessThanOrEqual(Math.max(once.report.tokens.before, SMALL));
  const twice = slimmed(once.entries, settings, { from: CLONE_ID });
  expect(withoutIds(twice.draft)).toBe(withoutIds(once.draft));
}

/** Stubs and notes may be longer than what they stand for where hardly anything was said. */
const SMALL = 2000;

export function checkCompress(text: string, keep: number, tools: boolean): void {
  const source = entriesOf(text);
  const draft = saysNothing(source) ? undefined : compressed(source, { keep, tools });
  if (draft === undefined) return;
  expectSound(draft);
  expectPrompts(source, readWritten(draft));
}

export function checkRepair(text: string, rejoin: boolean): void {
  const source = entriesOf(text);
  const { draft } = repaired(source, { rejoin });
  expectSound(draft);
  const result = readWritten(draft);
  expectPrompts(source, result);
  expect(repaired(result, { rejoin }).findings).toEqual([]);
}
