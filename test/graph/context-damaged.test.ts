/** context() of damaged sessions: never throws, passes validate, is the same each time, and looks at no entry too often. */
import { test } from 'vitest';
import { checkDamaged } from '../support/context-properties.ts';

test('300 randomly damaged sessions', () => checkDamaged(300));
