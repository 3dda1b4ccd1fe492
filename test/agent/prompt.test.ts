/** What the model is told besides the conversation. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environmentText } from '../../src/agent/prompt/environment.ts';
import { importsOf } from '../../src/agent/prompt/imports.ts';
import { memoryText, readMemory } from '../../src/agent/prompt/memory.ts';
import { INSTRUCTIONS, systemPrompt } from '../../src/agent/prompt/system.ts';
import { tempFolder } from '../support/files.ts';

function tree(files: Record<string, string>) {
  const root = realpathSync(tempFolder());
  for (const [path, text] of Object.entries({ 'home/.claude/x': '', 'repo/app/x': '', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const place = { cwd: join(root, 'repo', 'app'), home: join(root, 'home'), config: join(root, 'home', '.claude') };
  const read = (more = {}) => readMemory({ ...place, ...more });
  return { root, place, read, texts: (more = {}) => read(more).map(({ text }) => text) };
}

describe('memory', () => {
  test("the user's own comes first, the nearest last", () => {
    const { texts } = tree({
      'home/.claude/CLAUDE.md': 'user',
      'repo/CLAUDE.md': 'repo',
      'repo/AGENTS.md': 'agents',
      'repo/app/CLAUDE.md': 'app',
      'repo/app/.claude/CLAUDE.md': 'inner',
      'repo/app/CLAUDE.local.md': 'local',
    });
    expect(texts()).toEqual(['user', 'agents', 'repo', 'app', 'inner', 'local']);
  });

  test('one file under two names is taken once', () => {
    const { root, texts } = tree({ 'repo/app/AGENTS.md': 'same' });
    symlinkSync(join(root, 'repo/app/AGENTS.md'), join(root, 'repo/app/CLAUDE.md'));
    expect(texts()).toEqual(['same']);
  });

  test('imports stand before the file, circles and what is deeper than five are cut', () => {
    const deep = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((n) => [`repo/app/d${n}.md`, `deep ${n} @./d${n + 1}.md @CLAUDE.md`]),
    );
    const { texts } = tree({ 'repo/app/CLAUDE.md': 'top @./d1.md', ...deep });
    expect(texts().map((text) => text.split(' @')[0])).toEqual([
      'deep 5',
      'deep 4',
      'deep 3',
      'deep 2',
      'deep 1',
      'top',
    ]);
  });

  test('the files of a project import nothing from elsewhere; those of the user may', () => {
    const files = { 'secret/key.txt': 'secret', 'home/notes.md': 'notes', 'home/.claude/mine.md': 'mine' };
    const { root, texts } = tree({ ...files, 'repo/app/CLAUDE.md': 'app @~/.claude/mine.md @../../secret/key.txt' });
    expect(texts()).toEqual(['mine', 'app @~/.claude/mine.md @../../secret/key.txt']);
    writeFileSync(join(root, 'home/.claude/CLAUDE.md'), 'user @~/notes.md');
    expect(texts().slice(0, 2)).toEqual(['notes', 'user @~/notes.md']);
  });

  test('in a repository a project imports from all of it', () => {
    const { texts } = tree({ 'repo/.git/HEAD': '', 'repo/shared.md': 'shared', 'repo/app/CLAUDE.md': '@../shared.md' });
    expect(texts()).toEqual(['shared', '@../shared.md']);
  });

  test('a file that is too long is cut, and that is said', () => {
    const { read } = tree({ 'repo/app/CLAUDE.md': 'é'.repeat(60_000) });
    const [file] = read();
    expect(file?.cut).toBe(true);
    expect(file?.text).toMatch(/^é{20000}$/);
    expect(memoryText(read())).toContain('left out');
  });

  test('what is no text, a folder, or not there is passed over', () => {
    const { root, read } = tree({ 'repo/app/AGENTS.md': 'a\0b', 'repo/CLAUDE.local.md/x': '' });
    symlinkSync('CLAUDE.md', join(root, 'repo', 'app', 'CLAUDE.md'));
    expect(read()).toEqual([]);
    expect(memoryText([])).toBe('');
  });

  test('folders added to the work are looked at', () => {
    const { root, texts } = tree({ 'more/CLAUDE.md': 'more', 'repo/app/CLAUDE.md': 'app' });
    expect(texts({ folders: [join(root, 'more')] })).toEqual(['more', 'app']);
  });
});

describe('imports', () => {
  test.each([
    ['see @docs/a.md and @./b', ['docs/a.md', './b']],
    ['@~/x.md, @/etc/y.', ['~/x.md', '/etc/y']],
    ['mail me@example.com, ask @anna, use @scope/name', []],
    ['`@code.md` and ``a ` @b.md``', []],
    ['```\n@a.md\n```\n@b.md', ['b.md']],
    ['~~~sh\n@a.md\n```\n@c.md\n~~~\n@b.md', ['b.md']],
    ['@with\\ space.md', ['with space.md']],
    ['- @a.md\n\t@b.md', ['a.md', 'b.md']],
  ])('%j imports %j', (text, paths) => {
    expect(importsOf(text)).toEqual(paths);
  });
});

describe('the system prompt', () => {
  const environment = 'env';

  test('holds our instructions, the memory, the environment, what was appended', () => {
    expect(systemPrompt({ environment, memory: 'memory', appended: 'more' })).toEqual([
      INSTRUCTIONS,
      'memory',
      'env',
      'more',
    ]);
  });

  test('can be replaced', () => {
    expect(systemPrompt({ environment, memory: '', replaced: 'mine' })).toEqual(['mine', 'env']);
  });

  test('the environment names folder, repository, day and model', () => {
    const { root, place } = tree({ 'repo/.git/HEAD': 'ref: refs/heads/feature/x\n' });
    const text = environmentText({
      cwd: place.cwd,
      folders: [join(root, 'more')],
      model: 'claude-opus-5-5',
      now: new Date(2026, 10, 5),
    });
    expect(text).toContain(`Working folder: ${place.cwd}`);
    expect(text).toContain('on feature/x');
    expect(text).toContain('Date: 2026-11-05');
    expect(text).toContain('claude-opus-5-5');
    expect(text).toContain(join(root, 'more'));
  });
});
