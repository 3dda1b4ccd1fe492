import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyOf, uuidOf } from '../../../src/archive/search/keys.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const nearly = fc
  .tuple(fc.uuid(), fc.nat(36), fc.constantFrom('', '-', 'A', 'g', '0', '\u0130', '/', ':', '`'))
  .map(([uuid, at, sign]) => uuid.slice(0, at) + sign + uuid.slice(at + 1));

test('a uuid is its own key, anything else is hashed', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uuid(), nearly, fc.string()), (identity) => {
      const hash = createHash('sha256').update(identity).digest('hex').slice(0, 32);
      expect(keyOf(identity).toString('hex')).toBe(UUID.test(identity) ? identity.replaceAll('-', '') : hash);
    }),
    { numRuns: 2000 },
  );
});

test('a uuid is told by its key', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      expect(uuidOf(keyOf(uuid))).toBe(uuid);
    }),
  );
});
