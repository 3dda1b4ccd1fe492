/** Secrets in what a search shows: known by the name of a member alone, or by another text. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { secretMember } from '../../src/redact/assignment.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { findableOf } from '../../src/views/search/parts.ts';
import { assistant, chain, entriesOf, text, toJsonl, toolUse, user } from '../support/build.ts';
import { rootWith, skein } from '../support/skein.ts';

const ID = '77777777-0000-4000-8000-000000000000';

describe.each(['files', 'index'])('by the %s', (engine) => {
  /** What a search for the word shows, in all its forms. */
  function shown(lines: readonly JsonObject[], ...more: string[]): string[] {
    const root = rootWith({ [`${ID}.jsonl`]: toJsonl(chain(lines, { sessionId: ID })) }, writeFileSync);
    const env = { SKEIN_HOME: join(root, 'skein') };
    if (engine === 'index') skein(['archive', 'sync', '--root', root], { env });
    const forms = [[], ['--json'], ['--sort', 'date']];
    return forms.map((form) => skein(['search', 'needle', ...form, ...more, '--root', root], { env }).text);
  }

  test('members and lists that only their names tell', () => {
    const secrets = ['Zq81!bbW3k', 'Hh55!ccE9m', 'Nn77!ddT5v', 'Aa11;bb,C2', 'lib.Word9x', 'Kk31!ppQ7z'];
    const [pwd = '', first = '', mysql = '', odd = '', member = '', option = ''] = secrets;
    const input = { command: 'needle', pwd, password: [[first], odd], MYSQL_PWD: mysql, db: { passwd: member } };
    const lines = [user('go'), assistant(toolUse('t1', 'mcp__db', { ...input, args: ['-pwd', option] }))];
    for (const output of shown(lines)) {
      expect(output).toContain('needle');
      expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
    }
    for (const output of shown(lines, '--reveal')) for (const secret of secrets) expect(output).toContain(secret);
  });

  test('a secret that another hit gives away, also where it would be cut in two', () => {
    const secret = `Tt44!eeY8n-${'longer-secret77-'.repeat(8)}x`;
    const lines = [
      user(`needle config: password="${secret}" done`),
      assistant(text(`needle then it printed ${'so '.repeat(44)}${secret} alone`)),
      assistant(text(`needle ${secret}`)),
    ];
    for (const output of shown(lines)) expect(output).not.toContain('Tt44!eeY8n');
    for (const output of shown(lines, '--reveal')) expect(output).toContain('Tt44!eeY8n');
  });
});

test.each([
  'AZURE_DEVOPS_PAT',
  'password',
  'db_passwd',
  'passphrase',
  'PGPWD',
  'DB_PASS',
  'client_secret',
  'token',
  'credentials',
  'api-key',
])('the name %s is kept for the mask to see, as in a document', (name) => {
  const value = 'Xk92mQ7vLp31Zt8w';
  expect(secretMember(name, value)).toBeDefined();
  const [entry] = entriesOf(chain([assistant(toolUse('t', 'x', { [name]: [value] }))]));
  const found = entry && findableOf(entry, jsonOf(entry));
  expect(found?.parts.map((part) => part.text)).toEqual([expect.stringContaining(value)]);
  expect(found?.parts.map((part) => createMasker().mask(part.text))).toEqual([expect.not.stringContaining(value)]);
});

test.each([
  ['name', 'value'],
  ['key', 'value'],
  ['Name', 'Value'],
])('a value that has its name in another member, %s, is masked', (name, value) => {
  const secret = 'Zx9!Qw7-aa';
  const input = {
    env: [
      { [name]: 'DB_PASSWORD', [value]: secret },
      { [value]: secret, [name]: 'DB_PASSWORD' },
    ],
  };
  const [entry] = entriesOf(chain([assistant(toolUse('t', 'x', input))]));
  const [part] = (entry && findableOf(entry, jsonOf(entry))?.parts) ?? [];
  expect(part?.text.split(secret)).toHaveLength(3);
  expect(createMasker().mask(part?.text ?? '')).not.toContain(secret);
});

test.each(['`Zx9Qw7`', 'a"b"Zq81xyz', "it's-S3cret99", '"Zx9"Qw7\''])(
  'a password with quotes in it, %s, is masked as a whole',
  (value) => {
    const [entry] = entriesOf(chain([assistant(toolUse('t', 'x', { password: value }))]));
    const said = (entry && findableOf(entry, jsonOf(entry))?.parts[0]?.text) ?? '';
    expect(said).toContain(value);
    expect(createMasker().mask(said)).toMatch(/^x\npassword: ["'`]\[password\]["'`]$/);
  },
);
