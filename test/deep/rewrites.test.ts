/** The same as test/edit/rewrites-damaged.test.ts, for longer: 5,000 sessions for each verb. */
import * as fc from 'fast-check';
import { describe, test } from 'vitest';
import { BUDGET_STEPS } from '../../src/edit/slim/settings.ts';
import { damagedTranscript } from '../support/damage.ts';
import { generatedTranscript } from '../support/generated.ts';
import { checkCompress, checkRepair, checkSlim } from '../support/rewrites.ts';

const settings = fc.constantFrom(...BUDGET_STEPS.map((step) => step.settings));
const sources = [
  ['damaged', damagedTranscript],
  ['generated', generatedTranscript],
] as const;

describe.each(sources)('%s sessions', (_, transcript) => {
  test('slimmed', () => fc.assert(fc.property(transcript, settings, checkSlim), { numRuns: 2500 }));
  test('compressed', () =>
    fc.assert(fc.property(transcript, fc.nat(4), fc.boolean(), checkCompress), { numRuns: 2500 }));
  test('repaired', () => fc.assert(fc.property(transcript, fc.boolean(), checkRepair), { numRuns: 2500 }));
});
