/** The same as test/edit/clone-damaged.test.ts, for longer. */
import * as fc from 'fast-check';
import { test } from 'vitest';
import { damagedTranscript } from '../support/damage.ts';
import { checkClones } from '../support/edit-properties.ts';
import { tangledTranscript } from '../support/tangled.ts';

test('S1, S5, S8: 5,000 randomly damaged sessions', () => {
  fc.assert(fc.property(damagedTranscript, fc.nat(1000), checkClones), { numRuns: 5000 });
}, 1_200_000);

test('S1, R9: 5,000 sessions of parallel calls with notes everywhere', () => {
  fc.assert(fc.property(tangledTranscript, fc.nat(1000), checkClones), { numRuns: 5000 });
}, 1_200_000);
