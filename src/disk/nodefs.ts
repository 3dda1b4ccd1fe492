/**
 * What node:fs itself asks of the system, without what it makes of each answer: of thousands of files that takes as long as the system does.
 * It is no public part of Node: who uses it compares its first answer with that of node:fs, and asks that of what it does not answer.
 */

export type Answers = (...args: readonly unknown[]) => unknown;

/** A call of its own by name; undefined where there is none. */
export function nodeFs(name: string): Answers | undefined {
  // Who asks to be warned of what may go one day would be.
  const { NODE_OPTIONS = '', NODE_PENDING_DEPRECATION } = process.env;
  const asked = `${process.execArgv} ${NODE_OPTIONS}`.includes('--pending-deprecation');
  if (asked || NODE_PENDING_DEPRECATION === '1') return undefined;
  try {
    const binding: unknown = Reflect.get(process, 'binding');
    const fs: unknown = typeof binding === 'function' ? binding.call(process, 'fs') : undefined;
    const call: unknown = typeof fs === 'object' && fs !== null ? Reflect.get(fs, name) : undefined;
    return typeof call === 'function' ? call.bind(fs) : undefined;
  } catch {
    return undefined;
  }
}
