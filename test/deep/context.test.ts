/** The same as test/graph/context-damaged.test.ts, for longer. */
import { test } from 'vitest';
import { checkDamaged } from '../support/context-properties.ts';

test('10,000 randomly damaged sessions', () => checkDamaged(10_000), 600_000);
