import { expect, test } from 'vitest';
import { createInventory } from '../../src/format/inventory.ts';
import { assistant, conversation, queueOperation, user } from '../support/build.ts';

test('E9: a prompt that was only ever put into the queue is a turn', () => {
  const inventory = createInventory();
  const lines = [user('first'), queueOperation('enqueue', 'second'), queueOperation('remove'), assistant('both')];
  for (const entry of conversation(lines)) inventory.add(entry);
  expect(inventory.result().humanTurns).toBe(2);
});
