/** Reads a verb's arguments by its own option table. */
import { closest } from '../views/closest.ts';
import { type Arguments, COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { UsageError } from './errors.ts';
import { quoted } from './quoted.ts';

export function parseArguments(command: Command, argv: readonly string[]): Arguments {
  const options: Record<string, Option> = { ...command.options, ...COMMON_OPTIONS };
  const { words, rest } = command.minusWords ? apart(argv, options) : { words: [], rest: argv };
  const parsed = plainly(rest, options) ?? parse(command, rest, options);
  parsed.positionals.push(...words);
  const extra = parsed.positionals.slice(command.takes ?? parsed.positionals.length);
  if (extra.length > 0 && parsed.values.help !== true) {
    throw new UsageError(
      `There is an argument too many: "${extra.join(' ')}".`,
      `skein ${command.name}`,
      `Quote words that belong together, or run: skein ${command.name} --help`,
    );
  }
  const values: Record<string, unknown> = parsed.values;
  const strings = (name: string): string[] => [values[name]].flat().filter((value) => typeof value === 'string');
  for (const [name, option] of Object.entries(options)) {
    for (const value of strings(name)) {
      if (option.choices && !option.choices.includes(value)) {
        throw new UsageError(
          `--${name} is ${option.choices.join(', ')}; not "${value}".`,
          `skein ${command.name}`,
          `Run: skein ${command.name} --help`,
        );
      }
    }
  }
  return {
    positionals: parsed.positionals,
    flag: (name) => values[name] === true,
    value: (name) => strings(name).at(-1),
    values: strings,
  };
}

/** Takes the words out that begin with a minus: no option, nor the value of one. */
function apart(argv: readonly string[], options: Record<string, Option>) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const isOption = (arg: string) => Object.values(options).some(({ short }) => arg === `-${short}`);
  const takesValue = (arg = '') => options[arg.replace(/^--/, '')]?.type === 'string' && arg.startsWith('--');
  const isWord = (arg: string, place: number) =>
    place < end && /^-[^-]/.test(arg) && !isOption(arg) && !takesValue(argv[place - 1]);
  return { words: argv.filter(isWord), rest: argv.filter((arg, place) => !isWord(arg, place)) };
}

interface Parsed {
  readonly values: Record<string, unknown>;
  readonly positionals: string[];
}

/**
 * What nearly every command line is made of: options by their whole names, values after them, and words. Anything else, and whatever is
 * wrong, is left to Node's parser, which takes as long to load as a twentieth of a start.
 */
export function plainly(argv: readonly string[], options: Record<string, Option>): Parsed | undefined {
  const values: Record<string, unknown> = Object.create(null);
  const positionals: string[] = [];
  for (let place = 0; place < argv.length; place += 1) {
    const arg = argv[place] ?? '';
    if (!arg.startsWith('-')) {
      positionals.push(arg);
      continue;
    }
    const name = arg.slice(2);
    const option = arg.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) return undefined;
    if (option.type === 'string') place += 1;
    const value = option.type === 'string' ? argv[place] : true;
    if (value === undefined || (value !== true && value.startsWith('-'))) return undefined;
    values[name] = option.multiple ? [values[name] ?? [], value].flat() : value;
  }
  return { values, positionals };
}

function parse(command: Command, argv: readonly string[], options: Record<string, Option>): Parsed {
  try {
    const { parseArgs } = process.getBuiltinModule('node:util');
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type, short, multiple }]) => [
          name,
          { type, multiple: multiple ?? false, ...(short === undefined ? {} : { short }) },
        ]),
      ),
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, given] = /^Option '(?:-\w, )?(--?\S+?)(?: <value>)?' argument is ambiguous/.exec(message) ?? [];
    if (given !== undefined) throw dashed(command, given, argv, options);
    throw new UsageError(
      message.split(/\. To specify|\n/)[0] ?? message,
      `skein ${command.name}`,
      nextAfter(command, message, Object.keys(options)),
    );
  }
}

/** A value that looks like an option: joined to the name it is one. */
function dashed(
  { name }: Command,
  given: string,
  argv: readonly string[],
  options: Record<string, Option>,
): UsageError {
  const value = argv[argv.indexOf(given) + 1] ?? '';
  const [long] = Object.entries(options).find(([, { short }]) => given === `-${short}`) ?? [];
  return new UsageError(
    `${given} needs a value, and "${value}" begins as an option does.`,
    `skein ${name}`,
    `If it is the value: ${long === undefined ? given : `--${long}`}=${value}`,
  );
}

/** Times are called so by one verb or the other. */
const SAME: Partial<Record<string, string>> = { after: 'since', since: 'after', before: 'until', until: 'before' };

/** The option that was probably meant: one that begins so, or the nearest. What is looked for may be written as options are. */
function nextAfter({ name, minusWords, filters = [] }: Command, message: string, names: readonly string[]): string {
  const [, unknown = ''] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
  const help = `Run: skein ${name} --help`;
  const [filter] = [unknown, SAME[unknown]].filter((each) => each !== undefined && filters.includes(each));
  if (filter !== undefined) return `Write it among the words, as ${filter}:…. ${help}`;
  const same = names.find((each) => each === SAME[unknown]);
  const near = same ?? names.find((each) => unknown !== '' && each.startsWith(unknown)) ?? closest(unknown, names);
  if (near !== undefined) return `Did you mean: --${near}? ${help}`;
  return minusWords && unknown !== '' ? `To find it: skein ${name} -- ${quoted(`--${unknown}`)}` : help;
}

/** A whole number given on the command line. */
export function wholeNumber(args: Arguments, name: string, least = 0): number | undefined {
  const text = args.value(name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < least) {
    throw new UsageError(
      `--${name} takes a whole number from ${least}; not "${text}".`,
      `--${name} ${text}`,
      `Give a number, e.g. ${Math.max(10, least)}.`,
    );
  }
  return number;
}
