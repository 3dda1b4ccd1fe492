/** Instructions of folders below the work, and files that rules hide. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNested } from '../../src/agent/prompt/nested.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { calls, says } from '../support/scripted-model.ts';
import { talkWith } from './talkwith.ts';

const nestedOf = (entries: readonly JsonObject[]) =>
  entries
    .flatMap(({ attachment }): JsonObject[] => (isObject(attachment) ? [attachment] : []))
    .filter(({ type }) => type === 'nested_memory');
const told = (entries: readonly JsonObject[]) =>
  entries
    .filter(({ toolUseResult }) => toolUseResult !== undefined)
    .map(({ message }) => asString(asObject(asArray(asObject(message)?.content)?.[0])?.content) ?? '');

describe('nested memory', () => {
  test('what a folder below says is told once, when a file there is read, and sent', async () => {
    const paths = ['pkg/deep/a.txt', 'pkg/deep/b.txt', 'top.txt'];
    const talk = await talkWith([...paths.map((file_path) => calls('Read', { file_path })), says('Done')], {
      'CLAUDE.md': 'the top',
      'top.txt': 't',
      'pkg/CLAUDE.md': 'use tabs',
      'pkg/deep/AGENTS.md': 'be kind @more.md',
      'pkg/deep/more.md': 'imported @AGENTS.md',
      'pkg/deep/a.txt': 'a',
      'pkg/deep/b.txt': 'b',
    });
    await talk.say('Read');
    const found = nestedOf(talk.entries());
    const names = ['pkg/CLAUDE.md', 'pkg/deep/more.md', 'pkg/deep/AGENTS.md'];
    expect(found.map(({ displayPath }) => displayPath)).toEqual(names);
    const path = join(talk.cwd, 'pkg/CLAUDE.md');
    const content = { path, type: 'Project', content: 'use tabs', contentDiffersFromDisk: false };
    expect(found[0]).toEqual({ type: 'nested_memory', path, content, displayPath: 'pkg/CLAUDE.md' });
    expect(JSON.stringify(talk.model.requests[0]?.body)).not.toContain('use tabs');
    expect(JSON.stringify(talk.model.requests[1]?.body)).toContain('use tabs');
  });

  test('a file that is named in the prompt counts as read', async () => {
    const talk = await talkWith([says('Done')], { 'pkg/a.txt': 'a', 'pkg/CLAUDE.md': 'use tabs' });
    await talk.say('Look at @pkg/a.txt');
    expect(nestedOf(talk.entries())).toHaveLength(1);
    expect(JSON.stringify(talk.model.requests[0]?.body)).toContain('use tabs');
  });

  test('what a rule hides and what lies outside of the project is not brought in', async () => {
    const talk = await talkWith([calls('Read', { file_path: 'pkg/a.txt' }), says('Done')], {
      'pkg/a.txt': 'a',
      'pkg/CLAUDE.md': '@../../home/key.md',
      'pkg/CLAUDE.local.md': 'hidden words',
      '~/key.md': 'the key',
      '~/.claude/settings.json': { permissions: { deny: ['Read(pkg/CLAUDE.local.md)'] } },
    });
    await talk.say('Read');
    expect(nestedOf(talk.entries()).map(({ displayPath }) => displayPath)).toEqual(['pkg/CLAUDE.md']);
    expect(JSON.stringify(talk.model.requests[1]?.body)).not.toMatch(/the key|hidden words/);
  });

  test('whatever files import each other, it ends and tells each once', () => {
    const names = ['CLAUDE.md', 'AGENTS.md', 'a.md', 'sub/b.md'];
    const graph = fc.array(fc.array(fc.nat(3), { maxLength: 5 }), { minLength: 4, maxLength: 4 });
    const property = fc.property(graph, (links) => {
      const cwd = tempFolder();
      const folder = join(cwd, 'pkg');
      for (const [i, name] of names.entries()) {
        const file = join(folder, name);
        mkdirSync(dirname(file), { recursive: true });
        const up = name.includes('/') ? '../' : './';
        writeFileSync(file, `words ${links[i]?.map((to) => `@${up}${names[to]}`).join(' ')}`);
      }
      const nested = createNested({ cwd, home: cwd, config: join(cwd, 'none') }, () => false);
      const paths = nested(join(folder, 'x.ts')).map((each) =>
        each.kind === 'attachment' ? each.attachment.displayPath : '',
      );
      expect(new Set(paths).size).toBe(paths.length);
      expect(paths.length).toBeGreaterThanOrEqual(2);
      expect(nested(join(folder, 'y.ts'))).toEqual([]);
    });
    fc.assert(property, { numRuns: 30 });
  });
});

describe('Grep and Glob show nothing that a deny rule of Read names', () => {
  const files = {
    'a.txt': 'needle one\nnext\n',
    '.env': 'needle two',
    'secrets/key.txt': 'needle three',
    'secrets/deep/key.txt': 'needle four',
    'ways/z.txt': 'needle five',
    '~/.claude/settings.json': { permissions: { deny: ['Read(.env)', 'Read(secrets/**)'] } },
  };

  test.each(['default', 'bypassPermissions'] as const)('in mode %s', async (mode) => {
    const talk = await talkWith(
      [
        calls('Grep', { pattern: 'needle', output_mode: 'content', '-C': 1 }),
        calls('Grep', { pattern: 'needle', output_mode: 'content', '-n': false }),
        calls('Grep', { pattern: 'needle', output_mode: 'count' }),
        calls('Grep', { pattern: 'needle' }),
        calls('Glob', { pattern: '**/*' }),
        calls('Grep', { pattern: 'needle', path: 'ways', output_mode: 'content' }),
        calls('Glob', { pattern: '*.txt' }),
        says('Done'),
      ],
      files,
    );
    symlinkSync(join(talk.cwd, '.env'), join(talk.cwd, 'ways', 'link'));
    await talk.say('Search', mode);
    const answers = told(talk.entries());
    expect(answers).toHaveLength(7);
    for (const answer of answers) expect(answer).not.toMatch(/two|three|four|key\.txt|\.env/);
    expect(answers[0]).toContain('a.txt:1:needle one\na.txt-2-next');
    expect(answers[1]).toContain('a.txt:needle one');
    expect(answers[2]).toContain('2 matches in 2 files.');
    expect(answers[3]).toContain('2 files:');
    expect(answers[4]).toContain('a.txt');
    expect(answers[5]).toContain('needle five');
    expect(answers[6]).toContain('z.txt');
  });
});
