/** The commands that are found in a line, against those bash itself looks for when it runs it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLine } from '../../src/agent/permissions/bash/parts.ts';
import type { Word } from '../../src/agent/permissions/shell/types.ts';
import { commandsRun } from '../agent/permissions/bash-oracle.ts';
import { parser } from '../agent/permissions/folder.ts';
import { LINES, TOKENS } from '../agent/permissions/lines.table.ts';

const edit = fc.tuple(fc.nat(40), fc.constantFrom(...TOKENS), fc.integer({ min: 0, max: 2 }));
const line = fc
  .tuple(
    fc.constantFrom(...LINES),
    fc.array(edit, { maxLength: 3 }),
    fc.constantFrom('', ';', '\n', ' && ', ' | ', ' '),
    fc.constantFrom(...LINES),
  )
  .map(([text, edits, joiner, other]) => {
    const changed = edits.reduce((all, [place, token, cut]) => {
      const at = place % (all.length + 1);
      return all.slice(0, at) + token + all.slice(at + cut);
    }, text);
    return joiner === '' ? changed : `${changed}${joiner}${other}`;
  });
const noise = fc.array(fc.constantFrom(...TOKENS), { minLength: 2, maxLength: 10 }).map((tokens) => tokens.join(''));

const RUNS = Number(process.env.SHELL_LINES ?? 20_000);
const BATCH = 200;

test(`in ${RUNS} lines no command runs that was not found, word for word`, () => {
  const seed = Number(process.env.PROPERTY_SEED ?? 2026);
  const lines = fc.sample(fc.oneof({ weight: 9, arbitrary: line }, { weight: 1, arbitrary: noise }), {
    seed,
    numRuns: RUNS,
  });
  let understood = 0;
  for (let at = 0; at < lines.length; at += BATCH) {
    const batch = lines.slice(at, at + BATCH);
    for (const [i, ran] of commandsRun(batch).entries()) {
      const text = batch[i] ?? '';
      const { all, opaque } = readLine(text, parser);
      if (opaque.length > 0) continue;
      if (ran.length > 0) understood += 1;
      const missed = ran.filter((words) => !all.some(({ command }) => isSame(command.words, words)));
      expect(missed, text).toEqual([]);
    }
  }
  // Else nothing was tested.
  expect(understood).toBeGreaterThan(RUNS / 10);
});

/** Word for word, up to the first that is not known before it runs. */
function isSame(found: readonly Word[], words: readonly string[]): boolean {
  const unknown = found.findIndex(({ known, glob }) => !known || glob);
  const certain = unknown === -1 ? found : found.slice(0, unknown);
  return (
    (unknown !== -1 || found.length === words.length) &&
    certain.every(({ text, raw }, i) => text === words[i] || /^~/.test(raw))
  );
}
