/** A project's folder that got another name: its files are not gone, and no old copy of them comes back beside them (L2). */
import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asString, at, type Json } from '../../../src/format/json.ts';
import { tempFolder } from '../../support/files.ts';
import { machine } from '../../support/inprocess.ts';
import { contentOf, entry, PLACE, rootOf, SESSION } from '../helpers.ts';

const OTHER = 'projects/-work-other';
const FILES = {
  [`${PLACE}/${SESSION}.jsonl`]: entry('a'),
  [`${PLACE}/${SESSION}/subagents/agent-a1.jsonl`]: entry('b'),
  [`${PLACE}/${SESSION}/tool-results/x.txt`]: 'large',
};

async function moved() {
  const { root, run } = machine(rootOf(FILES));
  await run('archive', 'sync');
  renameSync(join(root, PLACE), join(root, OTHER));
  const outcomes = async (...args: string[]) => {
    const { code, json } = await run('archive', 'restore', ...args, '--json');
    const files = asArray(at(json(), 'files')) ?? [];
    const nameOf = (file: Json) => asString(at(file, 'path'))?.slice(root.length + 1) ?? '';
    return { code, files: Object.fromEntries(files.map((file) => [nameOf(file), at(file, 'outcome')])) };
  };
  return { root, run, outcomes };
}

const ALL_MOVED = Object.fromEntries(Object.keys(FILES).map((name) => [name, 'moved']));

describe('restore --all', () => {
  test('leaves alone what lies in the folder of another project, the same or longer', async () => {
    const { root, run, outcomes } = await moved();
    expect(await outcomes('--all')).toEqual({ code: 0, files: ALL_MOVED });
    appendFileSync(join(root, OTHER, `${SESSION}.jsonl`), entry('c'));
    expect(await outcomes('--all')).toEqual({ code: 0, files: ALL_MOVED });
    expect((await run('archive', 'restore', '--all')).text).toContain('3 moved, left alone');
    expect(existsSync(join(root, PLACE))).toBe(false);
    await run('archive', 'sync');
    expect((await outcomes('--all')).files).toMatchObject(ALL_MOVED);
  });

  test('brings back what is other there', async () => {
    const { root, outcomes } = await moved();
    writeFileSync(join(root, OTHER, `${SESSION}.jsonl`), entry('z'));
    writeFileSync(join(root, OTHER, SESSION, 'tool-results/x.txt'), 'larger');
    expect((await outcomes('--all')).files).toEqual({
      [`${PLACE}/${SESSION}.jsonl`]: 'restored',
      [`${PLACE}/${SESSION}/subagents/agent-a1.jsonl`]: 'moved',
      [`${PLACE}/${SESSION}/tool-results/x.txt`]: 'restored',
    });
  });

  test('with --force, below another folder, or by its name it comes back', async () => {
    for (const args of [['--all', '--force'], [SESSION]]) {
      const { outcomes } = await moved();
      expect(new Set(Object.values((await outcomes(...args)).files))).toEqual(new Set(['restored']));
    }
    const { run } = await moved();
    const to = tempFolder();
    await run('archive', 'restore', '--all', '--to', to);
    expect([...contentOf(to).keys()].sort()).toEqual(Object.keys(FILES).sort());
  });
});
