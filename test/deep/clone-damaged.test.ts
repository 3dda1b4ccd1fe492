/** Clones of damaged sessions: one chain, nothing dangling, and the very history that a resume of the source sends. */
import * as fc from 'fast-check';
import { test } from 'vitest';
import { damagedTranscript } from '../support/damage.ts';
import { checkClones } from '../support/edit-properties.ts';
import { tangledTranscript } from '../support/tangled.ts';

test('S1, S5, S8: 300 randomly damaged sessions', () => {
  fc.assert(fc.property(damagedTranscript, fc.nat(1000), checkClones), { numRuns: 300 });
});

test('S1, R9: 300 sessions of parallel calls with notes everywhere', () => {
  fc.assert(fc.property(tangledTranscript, fc.nat(1000), checkClones), { numRuns: 300 });
});
