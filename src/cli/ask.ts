/** A question that a person answers with yes or no. */
import type { Context } from './context.ts';

/** Whether there is someone to ask. */
export function canAsk({ err }: Context): boolean {
  return process.stdin.isTTY === true && err.isTerminal;
}

/** Anything but yes is no. */
export async function ask({ err }: Context, question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: err.stream });
  // Ctrl-D and Ctrl-C close it without an answer.
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}
