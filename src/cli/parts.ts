/** Verbs made of parts, such as `skein archive sync`: the first word says which, each part is loaded when it is used. */
import type { Arguments, Command } from './command.ts';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';

type Part = (context: Context, args: Arguments) => Promise<number> | number;
export type Parts = Readonly<Record<string, () => Promise<Part>>>;

/** What each part takes: so many words at most, and of the options that not all parts have, these. */
export type Takes = Readonly<Record<string, { readonly words: number; readonly options: readonly string[] }>>;

/** Without a word it is `status`. Without a table of what they take, every part gets all there is. */
export function runParts(verb: string, parts: Parts, takes: Takes = {}): Command['run'] {
  return async (context, args) => {
    const [name = 'status', ...positionals] = args.positionals;
    const load = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (load === undefined) {
      const known = Object.keys(parts).join(', ');
      throw new UsageError(`"skein ${verb}" has no "${name}".`, `skein ${verb} ${name}`, `Say one of: ${known}.`);
    }
    refuseOthers(`skein ${verb}`, name, takes, { ...args, positionals });
    const part = await load();
    return part(context, { ...args, positionals });
  };
}

/** What a part does not know is refused before it does anything: `--dry-run` where nothing is tried, a second session where one is taken. */
function refuseOthers(verb: string, name: string, takes: Takes, args: Arguments): void {
  const own = takes[name];
  if (own === undefined) return;
  const help = `run: ${verb} --help`;
  const extra = args.positionals.slice(own.words);
  if (extra.length > 0) {
    const next = `Quote words that belong together, or ${help}`;
    throw new UsageError(`There is an argument too many: "${extra.join(' ')}".`, `${verb} ${name}`, next);
  }
  const isGiven = (option: string) => args.flag(option) || args.value(option) !== undefined;
  const others = Object.values(takes).flatMap(({ options }) => options.filter((each) => !own.options.includes(each)));
  const other = others.find(isGiven);
  if (other === undefined) return;
  const known =
    own.options.length === 0 ? 'Leave it out' : `It takes: ${own.options.map((each) => `--${each}`).join(', ')}`;
  throw new UsageError(`"${verb} ${name}" has no --${other}.`, `${verb} ${name} --${other}`, `${known}, or ${help}`);
}
