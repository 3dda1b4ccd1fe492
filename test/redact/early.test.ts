/** A secret that stands before the place that gives it away. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { assistant, chain, text, toJsonl, user } from '../support/build.ts';
import { rootWith, skein } from '../support/skein.ts';

const ID = '77777777-0000-4000-8000-000000000000';
const SECRET = 'hunter2-Xyz';
const LINES = [user(`try ${SECRET} please`), assistant(text(`export DB_PASSWORD=${SECRET}`)), user('thanks')];

describe('shown before the place that gives it away', () => {
  test.each([
    ['show', ID],
    ['show', ID, '--format', 'md'],
    ['show', ID, '--json'],
    ['context', ID, '--json'],
    ['context', ID],
  ])('it is masked: %s %s %s %s', (...args) => {
    const root = rootWith({ [`${ID}.jsonl`]: toJsonl(chain(LINES)) }, writeFileSync);
    const ran = skein([...args, '--root', root]);
    expect(ran.code).toBe(0);
    expect(ran.text).toContain('try [password] please');
    expect(ran.text).not.toContain(SECRET);
    expect(skein([...args, '--reveal', '--root', root]).text).toContain(SECRET);
  });
});
