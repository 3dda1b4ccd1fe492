/** What the archive keeps of usage is of the transcripts it has: one more that says nothing new is one more all the same. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootOf } from '../archive/helpers.ts';
import { assistant, toJsonl } from '../support/build.ts';
import { machine } from '../support/inprocess.ts';

const ids = ['1', '2', '3', '4'].map((n) => `${n.repeat(8)}-1111-4111-8111-111111111111`);
const nameOf = (n: number) => `projects/-work-app/${ids[n]}.jsonl`;
const said = (n: number) => toJsonl([assistant('hi', { id: `m${n}` }, { uuid: `u${n}`, sessionId: ids[n] ?? '' })]);

test('a session that was renamed since does not bring in those of another root', async () => {
  const root = rootOf({ [nameOf(0)]: said(0), [nameOf(1)]: said(1) });
  const other = rootOf({ [nameOf(2)]: said(2) });
  const { run } = machine(root);
  const messages = async () => (await run('usage', '--json')).json();
  await run('archive', 'sync', '--root', root, '--root', other);
  expect(await messages()).toMatchObject({ totals: { messages: 2 } });
  renameSync(join(root, nameOf(0)), join(root, nameOf(3)));
  await run('archive', 'sync');
  expect(await messages()).toMatchObject({ totals: { messages: 2 } });
});
