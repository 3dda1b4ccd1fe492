import { test } from 'vitest';
import { sendsWhatTheFileSays } from '../agent/steps.ts';

test('R: messages() is context() of the file, over long sessions', { timeout: 600_000 }, () => {
  sendsWhatTheFileSays({ numRuns: 1500, maxLength: 80 });
});
