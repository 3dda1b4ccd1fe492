import { test } from 'vitest';
import { sendsWhatTheFileSays } from './steps.ts';

test('R: messages() is context() of the file, after every step', () => {
  sendsWhatTheFileSays({ numRuns: 100, maxLength: 40 });
});
