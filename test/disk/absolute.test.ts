import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { absolutePath } from '../../src/disk/absolute.ts';
import '../support/properties.ts';

const part = fc.constantFrom('/', '/', '.', '..', 'a', '.b', 'é', ' ', '\n', '~', 'c.d', '\\');

test('a path is what resolve makes of it', () => {
  const paths = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(paths, fc.boolean(), (path, isAbsolute) => {
      const whole = isAbsolute ? `/${path}` : path;
      expect(absolutePath(whole, '/work/app')).toBe(resolve('/work/app', whole));
      expect(absolutePath(whole)).toBe(resolve(whole));
    }),
    { numRuns: 2000 },
  );
});
