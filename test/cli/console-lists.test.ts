/** Lists of the console without a terminal: what was folded, sessions with their previews, and commands that are the agent's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dialogLines, dialogOf, press } from '../../src/cli/console/dialog.ts';
import { fold } from '../../src/cli/console/fold.ts';
import { type FoldedPiece, foldedDialog, withFolded } from '../../src/cli/console/folded.ts';
import { paletteFor } from '../../src/cli/console/palette.ts';
import { createPreviews } from '../../src/cli/console/previews.ts';
import { emptyState } from '../../src/cli/console/state.ts';

function call(command: string, content: string): FoldedPiece {
  return { kind: 'call', name: 'Bash', input: { command }, outcome: { content, result: content }, ms: 1 };
}

test('what was folded: the newest first, no more than so many and so much, and the key that asks also chooses', () => {
  let pieces: FoldedPiece[] = [];
  for (let i = 0; i < 80; i += 1) pieces = withFolded(pieces, call(`make ${i}`, 'a\nb'));
  expect(pieces).toHaveLength(50);
  expect(pieces[0]).toMatchObject({ input: { command: 'make 79' } });
  const large = withFolded(withFolded(pieces, call('large', 'x'.repeat(7 << 20))), call('more', 'x'.repeat(2 << 20)));
  expect(large).toHaveLength(1);
  expect(withFolded([], call('huge', 'x'.repeat(9 << 20)))).toHaveLength(1);

  const thought: FoldedPiece = { kind: 'thought', text: 'Well\u001b[2J then', ms: 2100 };
  const dialog = foldedDialog([thought, ...pieces.slice(0, 2)], '/');
  const lines = dialogLines(dialog, 60, 20, paletteFor(false)).join('\n');
  expect(lines).toMatch(/❯ ∴ Thought for 2\.1 s {2}Well.* then\n {2}● Bash make 79 {2}2 lines/);
  expect(lines).not.toContain('\u001b[2J');
  expect(press(dialog, 'ctrl+o', undefined)).toMatchObject({ chosen: { index: 0 } });
  expect(press(dialogOf({ title: '', options: [{ label: 'Yes' }] }), 'ctrl+o', undefined)).toHaveProperty('dialog');
});

test('a preview is read when the selection rests, once, and not of large files', async () => {
  const asked: string[] = [];
  let changes = 0;
  const verb = async (args: readonly string[]) => {
    asked.push(args[1] ?? '');
    return { code: 0, out: `${'A title '.repeat(40)}\nfacts\n\n> prompt\n\u001b[2Janswer\n`, err: '' };
  };
  const previews = createPreviews({ verb }, () => {
    changes += 1;
  });
  for (const file of ['a', 'b', 'c']) expect(previews.of({ file, bytes: 1 }, 40)).toBeUndefined();
  expect(previews.of({ file: 'large', bytes: 7 << 20 }, 40)).toBeUndefined();
  await expect.poll(() => changes).toBe(1);
  const lines = previews.of({ file: 'c', bytes: 1 }, 40);
  expect(lines?.slice(1, 3)).toEqual(['facts', '> prompt']);
  expect(lines?.[0]).toHaveLength(40);
  expect(lines?.join('')).not.toContain('\u001b');
  previews.of({ file: 'd', bytes: 1 }, 40);
  previews.stop();
  await sleep(200);
  expect(asked).toEqual(['c']);
});

test('a list with a preview is as high whatever is selected, and keeps its list on a small screen', () => {
  const options = Array.from({ length: 30 }, (_, i) => ({ label: `session ${i}` }));
  const body = (_: number, index: number) => Array.from({ length: index }, (_, i) => `line ${i}`);
  const shown = (index: number, height: number) =>
    dialogLines(dialogOf({ title: 't', options, index, body, isPreviewed: true }), 40, height, paletteFor(false));
  const heights = [0, 3, 29].map((index) => shown(index, 22).length);
  expect(new Set(heights)).toEqual(new Set([22]));
  expect(shown(29, 22)).toContain('line 0');
  expect(shown(0, 80).length).toBeLessThan(50);
  for (const height of [6, 8, 10]) expect(shown(5, height).join('\n')).toContain('❯ session 5');
});

test('a queued message with an image leaves the queue by its words (E9)', () => {
  const { state } = fold(emptyState(), { kind: 'queued', text: 'see a.png' }, 0);
  const prompt = [{ type: 'text', text: 'see a.png' }, { type: 'image' }];
  const attachment = { type: 'queued_command', commandMode: 'prompt', prompt };
  const after = fold(state, { kind: 'entry', entry: { type: 'attachment', attachment } }, 0);
  expect(after.state.queue).toEqual([]);
  expect(after.pieces).toEqual([{ kind: 'prompt', text: 'see a.png' }]);
});
