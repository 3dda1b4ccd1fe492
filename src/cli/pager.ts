/** Long text for a person at a terminal goes through a pager; everywhere else it is just written. */
import { spawn } from 'node:child_process';
import type { Context } from './context.ts';

/** Writes the pieces as they come; stops when the reader leaves. */
export async function page(context: Context, pieces: Iterable<string>, wanted: boolean): Promise<void> {
  const { out, env } = context;
  const pager = env.SKEIN_PAGER ?? env.PAGER ?? 'less';
  if (!wanted || !out.isTerminal || pager === '' || pager === 'cat') {
    for (const piece of pieces) out.write(piece);
    return;
  }
  // F: one screen is not paged; R: colours; X: the text stays on the screen.
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', ...env } });
  const ended = new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code !== 127));
  });
  child.stdin.on('error', () => {});
  const text: string[] = [];
  for (const piece of pieces) {
    text.push(piece);
    child.stdin.write(piece);
  }
  child.stdin.end();
  // Without a pager on the machine the text is shown all the same.
  if (!(await ended)) for (const piece of text) out.write(piece);
}
