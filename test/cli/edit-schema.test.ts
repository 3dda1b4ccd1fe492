/** The JSON of verbs that write is as docs/schema says. */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { assistant, transcript, user } from '../support/transcript.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const ajv = new Ajv2020({ strictTypes: false, strictRequired: false });

function expectValid(schema: string, value: unknown): void {
  const path = fileURLToPath(new URL(`../../docs/schema/${schema}.schema.json`, import.meta.url));
  const validate = ajv.compile(JSON.parse(readFileSync(path, 'utf8')));
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}

test('clone, move, merge and undo', async () => {
  const root = tempFolder();
  const to = realpathSync(tempFolder());
  for (const [slug, id] of [
    ['-work-app', SESSION],
    ['-work-b', SESSION.replaceAll('1', '2')],
  ] as const) {
    mkdirSync(join(root, 'projects', slug), { recursive: true });
    const cwd = slug.replaceAll('-', '/');
    writeFileSync(
      join(root, 'projects', slug, `${id}.jsonl`),
      transcript([user(1, null, id, { cwd }), assistant(2, 1, 'm', 'A')]),
    );
  }
  const { run } = machine(root);
  expectValid('undo', (await run('undo', '--list', '--json')).json());
  expectValid('edit', (await run('clone', SESSION, '--json')).json());
  expectValid('edit', (await run('clone', SESSION, '--dry-run', '--json')).json());
  expectValid('move', (await run('merge', '/work/b', '/work/app', '--json')).json());
  expectValid('move', (await run('move', SESSION, '--to', to, '--delete-source', '--json')).json());
  expectValid('undo', (await run('undo', '--dry-run', '--json')).json());
  expectValid('undo', (await run('undo', '--json')).json());
  expectValid('undo', (await run('undo', '--list', '--json')).json());
  expect(() => expectValid('edit', { sessionId: 1 })).toThrow();
});
