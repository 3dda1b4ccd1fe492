/** The terminal is left as it was found, however we go; and when it goes first, what was begun is ended all the same. */
import { writeSync } from 'node:fs';
import { endLostPastes } from '../terminal/pastes.ts';

/** Paste marks off, key protocols off, cursor shown, colours off, a frame that was begun is ended. */
export const AS_IT_WAS = '\u001b[?2026l\u001b[?2004l\u001b[<u\u001b[>4;0m\u001b[?25h\u001b[0m\u001b]0;\u0007';

/** `gone`: nobody can see or write anything any more. */
export function restoring(gone: () => void): { done(): void } {
  const restore = () => {
    try {
      if (process.stdin.isTTY) process.stdin.setRawMode(false);
      writeSync(1, `\r\n${AS_IT_WAS}`);
    } catch {
      // The terminal is gone.
    }
  };
  // Also when something threw that nobody caught.
  process.once('exit', restore);
  // Elsewhere output that cannot be written ends the process at once.
  process.stdout.removeAllListeners('error').on('error', gone);
  // Node would write its warnings across the screen.
  process.removeAllListeners('warning').on('warning', () => {});
  process.stdin.on('error', gone).on('end', gone);
  const letPastes = endLostPastes(process.stdin);
  return {
    done: () => {
      letPastes();
      process.off('exit', restore);
      process.stdin.off('end', gone);
      process.stdout.write('\u001b]0;\u0007');
    },
  };
}
