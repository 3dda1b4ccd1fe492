/** Slims, compressions and repairs of 7,500 damaged, generated and tangled sessions each: sound, with every prompt, and the same when done again. */
import * as fc from 'fast-check';
import { describe, test } from 'vitest';
import { BUDGET_STEPS } from '../../src/edit/slim/settings.ts';
import { damagedTranscript } from '../support/damage.ts';
import { generatedTranscript } from '../support/generated.ts';
import { checkCompress, checkRepair, checkSlim } from '../support/rewrites.ts';
import { tangledTranscript } from '../support/tangled.ts';

const settings = fc.constantFrom(...BUDGET_STEPS.map((step) => step.settings));
const sources = [
  ['damaged', damagedTranscript],
  ['generated', generatedTranscript],
  ['tangled', tangledTranscript],
] as const;

describe.each(sources)('S1–S8: %s sessions', (_, transcript) => {
  test('slimmed by every preset and step', () =>
    fc.assert(fc.property(transcript, settings, checkSlim), { numRuns: 2500 }));
  test('compressed', () =>
    fc.assert(fc.property(transcript, fc.nat(4), fc.boolean(), checkCompress), { numRuns: 2500 }));
  test('repaired', () => fc.assert(fc.property(transcript, fc.boolean(), checkRepair), { numRuns: 2500 }));
});
