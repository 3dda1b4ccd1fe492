/** Reads a verb's arguments by its own option table. */
import { parseArgs } from 'node:util';
import { type Arguments, COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { UsageError } from './errors.ts';

export function parseArguments(command: Command, argv: readonly string[]): Arguments {
  const options: Record<string, Option> = { ...command.options, ...COMMON_OPTIONS };
  const { words, rest } = command.minusWords ? apart(argv, options) : { words: [], rest: argv };
  const parsed = parse(command, rest, options);
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

function parse(command: Command, argv: readonly string[], options: Record<string, Option>) {
  try {
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
    throw new UsageError(
      message.split(/\. To specify|\n/)[0] ?? message,
      `skein ${command.name}`,
      `Run: skein ${command.name} --help`,
    );
  }
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
