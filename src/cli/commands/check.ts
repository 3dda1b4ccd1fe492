/** `skein check`: every departure from the rules, and what the files hold. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findBelow } from '../../disk/below.ts';
import type { Problem } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { checkFile } from '../check/file.ts';
import { checkJson, checkText } from '../check/output.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { lookAt, openLibrary } from '../library.ts';
import { openMask, REVEAL_OPTION } from '../mask.ts';
import { spareMemory } from '../memory.ts';
import { progressOf } from '../progress.ts';
import { nothing, select } from '../select.ts';
import { teamStore } from '../shelf.ts';
import { tellSources } from '../sources.ts';
import { write } from '../write.ts';

export const check: Command = {
  name: 'check',
  usage: '[SEL|DIR]... [--severity LEVEL] [--inventory]',
  summary: 'what departs from the rules of the format, and an inventory',
  details: [
    'Reads sessions, or every session below a folder, and names each departure from the rules in docs/format.md with its rule, line and severity: error (something would be lost or refused), warning (odd, handled), info. Without an argument it checks all sessions. Nothing is changed.',
    'The same departure in many lines is one line of text, with the first of them and a count; --json has each. Exit code 1 only when there are errors, or nothing to check where something was named.',
  ],
  options: {
    severity: {
      type: 'string',
      value: 'LEVEL',
      choices: ['error', 'warning', 'info'],
      help: 'Show this severity and worse (default warning; --json has all)',
    },
    inventory: {
      type: 'boolean',
      help: 'Also print what each file holds: types, versions, stop reasons, blocks, calls, turns',
    },
    ...REVEAL_OPTION,
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein check @last', 'the newest session'],
    ['skein check a.jsonl b.jsonl', 'two files'],
    ['skein check ~/.claude/projects --inventory', 'all of them, with the table of contents'],
    ['skein check broken.jsonl --severity info', 'everything there is to say about one file'],
  ],
  completes: 'selector',
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const { files, problems } = filesOf(context, args);
  tellSources(context, files);
  spareMemory(files);
  const progress = progressOf(context, 'checking', files);
  const checked = files.map((file) => {
    const result = checkFile(file);
    progress.done(file);
    return result;
  });
  progress.clear();
  const { out } = context;
  const mask = await openMask(context, args);
  if (args.flag('json')) await write(out, `${mask.json(checkJson(checked, problems))}\n`);
  else {
    const wanted = args.value('severity');
    const least = wanted === 'error' || wanted === 'info' ? wanted : 'warning';
    const text = checkText(out, checked, problems, { least, inventory: args.flag('inventory'), mask });
    for (const part of text) await write(out, part);
  }
  return checked.some(({ issues }) => issues.some(({ severity }) => severity === 'error')) ? 1 : 0;
}

interface ToCheck {
  readonly files: readonly SessionFile[];
  readonly problems: readonly Problem[];
}

/** All that the arguments name, each file once. */
function filesOf(context: Context, args: Arguments): ToCheck {
  for (const root of args.values('root')) expectFiles(lookAt(context, [root]), resolve(context.cwd, root));
  if (args.positionals.length === 0) return openLibrary(context, args);
  const found = args.positionals.map((argument) => filesNamed(context, args, argument));
  const files = new Map(found.flatMap((each) => each.files).map((file) => [file.file, file]));
  return { files: [...files.values()], problems: found.flatMap(({ problems }) => problems) };
}

/** A folder means everything below it; anything else is a selector. */
function filesNamed(context: Context, args: Arguments, argument: string): ToCheck {
  const path = resolve(context.cwd, argument);
  if (teamStore(args) === undefined && existsSync(path) && statSync(path).isDirectory())
    return expectFiles(findBelow(path), path);
  const { files } = select(context, args, argument);
  if (files.length === 0) throw nothing(argument);
  return { files, problems: [] };
}

/** Nothing to check where something was named is no success. */
function expectFiles(found: ToCheck, where: string): ToCheck {
  if (found.files.length > 0) return found;
  const [problem] = found.problems;
  if (problem !== undefined) throw new CommandError(`Cannot check: ${problem.what}.`, problem.where, problem.next);
  throw new CommandError('There is no .jsonl file in this folder.', where, 'Name a folder with transcripts.');
}
