import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { skein, startSkein } from '../support/skein.ts';
import { entry, PLACE, rootOf, SESSION } from './helpers.ts';

const SCHEMA = fileURLToPath(new URL('../../docs/schema/archive.schema.json', import.meta.url));
const ajv = new Ajv2020({ strictTypes: false, allErrors: true });
ajv.addSchema(JSON.parse(readFileSync(SCHEMA, 'utf8')), 'archive');
const seen = new Set<string>();

function expectValid(part: string, value: unknown): void {
  seen.add(part);
  const validate = ajv.getSchema(`archive#/$defs/${part}`);
  expect(validate).toBeDefined();
  validate?.(value);
  expect([part, validate?.errors ?? []]).toEqual([part, []]);
}

test('--json of every part is as docs/schema says', async () => {
  const secret = `ghp_${'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY'.padEnd(36, 'z9')}`;
  const name = `${PLACE}/${SESSION}.jsonl`;
  const root = rootOf({ [name]: entry('a', SESSION, secret), 'plans/p.md': 'p' });
  rootOf({ 'projects/-x/broken.jsonl/inside': 'a folder named like a session' }, root);
  const home = tempFolder();
  const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'kept') };
  const json = (...args: string[]) => skein(['archive', ...args, '--json'], { env, home }).json();

  expectValid('status', json('status'));
  const first = json('sync');
  expectValid('sync', first);
  expect(first).toMatchObject({ added: 2, problems: [{ kind: 'not-a-file' }] });
  expectValid('scrub', json('scrub', '--all', '--dry-run'));
  expectValid('scrub', json('scrub', '--all'));
  appendFileSync(join(root, name), entry('b'));
  expectValid('sync', json('sync'));
  expectValid('verify', json('verify'));
  rmSync(join(root, name));
  expectValid('restore', json('restore', '--all'));
  writeFileSync(join(root, name), entry('c'));
  expectValid('sync', json('sync'));
  const versions = json('versions', '--all');
  expectValid('versions', versions);
  expect(versions).toMatchObject({
    files: [{ versions: [{ lines: null }] }, { versions: [{ extra: 2 }, { extra: 0 }] }],
  });
  const restored = json('restore', SESSION);
  expectValid('restore', restored);
  expect(restored).toMatchObject({ files: [{ fuller: { version: 1 } }] });
  const file = join(home, 'x.db');
  expectValid('export', json('export', file));
  expectValid('import', json('import', file));
  expectValid('rebuild', json('rebuild'));
  expectValid('forget', json('forget', SESSION, '--yes'));
  expectValid('status', json('status'));
  expectValid('undo', json('forget', SESSION, '--undo'));
  expectValid('watch', JSON.parse(await firstLine(env, home)));
  const parts = Object.keys(JSON.parse(readFileSync(SCHEMA, 'utf8')).$defs);
  expect([...seen].sort()).toEqual(parts.filter((part) => !['problem', 'tombstone', 'state'].includes(part)).sort());
});

function firstLine(env: Record<string, string>, home: string): Promise<string> {
  const watching = startSkein(['archive', 'watch', '--json'], { env, home });
  return new Promise((resolve) => {
    let text = '';
    watching.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) watching.kill('SIGTERM');
    });
    watching.once('exit', () => resolve(text.split('\n')[0] ?? ''));
  });
}

test('the schema refuses what is not so', () => {
  expect(ajv.validate('archive#/$defs/sync', { archive: 'x', files: -1 })).toBe(false);
});
