/** Verbs made of parts, such as `skein archive sync`: the first word says which, each part is loaded when it is used. */
import type { Arguments, Command } from './command.ts';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';

type Part = (context: Context, args: Arguments) => Promise<number> | number;
export type Parts = Readonly<Record<string, () => Promise<Part>>>;

/** Without a word it is `status`. */
export function runParts(verb: string, parts: Parts): Command['run'] {
  return async (context, args) => {
    const [name = 'status', ...positionals] = args.positionals;
    const load = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (load === undefined) {
      const known = Object.keys(parts).join(', ');
      throw new UsageError(`"skein ${verb}" has no "${name}".`, `skein ${verb} ${name}`, `Say one of: ${known}.`);
    }
    const part = await load();
    return part(context, { ...args, positionals });
  };
}
