import { test } from 'vitest';
import { checkKeptReads, generatedRoot, recordedRoot } from '../support/keptreads.ts';

test('what the archive kept of the recordings reads as the files did', () => checkKeptReads(recordedRoot()));

test('and of another generated corpus', () => checkKeptReads(generatedRoot(11)));
