/** Modes, plans, questions and the sandbox of `skein chat`, as a person gives and sees them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chatWith, entriesOf } from '../support/chat.ts';
import { calls, says } from '../support/scripted-model.ts';

const write = calls('Write', { file_path: 'a.txt', content: 'a' });

async function withMode(defaultMode: string | undefined, ...args: string[]) {
  const chat = await chatWith([write, says('done')]);
  mkdirSync(join(chat.home, '.claude'), { recursive: true });
  const settings = defaultMode === undefined ? {} : { permissions: { defaultMode } };
  writeFileSync(join(chat.home, '.claude', 'settings.json'), JSON.stringify(settings));
  const { err } = await chat.run(['-p', 'go', ...args]);
  return { err, isWritten: existsSync(join(chat.cwd, 'a.txt')) };
}

describe('modes', () => {
  test('settings give one, an option wins', async () => {
    expect(await withMode('acceptEdits')).toEqual({ err: '', isWritten: true });
    expect(await withMode('acceptEdits', '--permission-mode', 'dontAsk')).toEqual({ err: '', isWritten: false });
  });

  test.each([
    ['auto', []],
    [undefined, ['--permission-mode', 'yolo']],
  ])('one that is not known here is read as default, with a word: %s %j', async (mode, args) => {
    const { err, isWritten } = await withMode(mode, ...args);
    expect(err).toMatch(/^skein: The permission mode "(auto|yolo)" is not known here; it is taken for default\./);
    expect(isWritten).toBe(false);
  });
});

test.each([
  ['stdio', '--input-format stream-json'],
  ['Bash', 'mcp__SERVER__TOOL'],
])('--permission-prompt-tool %s: what works instead is told', async (tool, next) => {
  const chat = await chatWith([]);
  const { code, err } = await chat.run(['-p', 'go', '--permission-prompt-tool', tool]);
  expect(code).toBe(2);
  expect(err).toContain(next);
  expect(chat.model.requests).toEqual([]);
});

describe('in the console', () => {
  const questions = [
    {
      question: 'Which color?',
      header: 'Color',
      multiSelect: false,
      options: ['Red', 'Blue'].map((label) => ({ label, description: `${label} it is` })),
    },
  ];

  test('a question is answered by its number', async () => {
    const chat = await chatWith([calls('AskUserQuestion', { questions }), says('Fine.')]);
    const { out } = await chat.run([], { input: 'Paint\n2\n' });
    expect(out).toContain('? Which color?\n  1 Red  Red it is\n  2 Blue  Blue it is\n');
    expect(JSON.stringify(chat.model.requests[1]?.messages)).toContain('=\\"Blue\\"');
  });

  test('a plan is shown and approved; then the rest of the turn asks as always', async () => {
    const chat = await chatWith([calls('ExitPlanMode', { plan: '1. Write a.txt' }), write, says('Done.')]);
    const { out } = await chat.run(['--permission-mode', 'plan'], { input: 'Plan\ny\ny\n' });
    expect(out).toContain('? The plan\n1. Write a.txt\n');
    expect(readFileSync(join(chat.cwd, 'a.txt'), 'utf8')).toBe('a');
    const [file = ''] = chat.sessions();
    const modes = entriesOf(file).filter(({ type }) => type === 'permission-mode');
    expect(modes.map(({ permissionMode }) => permissionMode)).toEqual(['plan', 'default']);
  });
});

test('--sandbox: nothing outside is written, or it is refused and says why', async () => {
  const chat = await chatWith([calls('Bash', { command: 'echo x > in; echo x > ../out' }), says('done')]);
  const { code, err } = await chat.run(['-p', 'go', '--sandbox', '--dangerously-skip-permissions']);
  expect(existsSync(join(chat.cwd, '..', 'out'))).toBe(false);
  if (code === 0) expect(existsSync(join(chat.cwd, 'in'))).toBe(true);
  else expect(err).toMatch(/Commands cannot be shut in: .*(bubblewrap|bwrap)/);
});
