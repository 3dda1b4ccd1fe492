/** Every command of a line, with the commands within it, down to those that run nothing else. */
import { analyse } from '../shell/analyse.ts';
import { decidesWhatRuns } from '../shell/environment.ts';
import type { ShellParser } from '../shell/parser.ts';
import { type Risk, risksOf } from '../shell/risks.ts';
import type { Analysis, Redirect, SimpleCommand, Word } from '../shell/types.ts';
import { type Unwrapped, unwrap } from '../shell/unwrap.ts';

export interface Part {
  readonly command: SimpleCommand;
  readonly risks: readonly Risk[];
  readonly inner: readonly Inner[];
}

export interface Inner {
  /** A rule has to name more words than this to speak of what is run. */
  readonly from: number;
  /** Nothing but what is run matters. */
  readonly same: boolean;
  readonly parts: readonly Part[];
}

export interface Line {
  readonly parts: readonly Part[];
  /** The parts and all within them. */
  readonly all: readonly Part[];
  readonly redirects: readonly Redirect[];
  readonly opaque: readonly string[];
  readonly unclear: readonly string[];
}

const MAX_DEPTH = 6;

export function readLine(source: string, parser: ShellParser): Line {
  const gathered = {
    all: [] as Part[],
    redirects: [] as Redirect[],
    opaque: new Set<string>(),
    unclear: new Set<string>(),
  };
  const partsOf = (analysis: Analysis, depth: number): Part[] => {
    for (const why of analysis.opaque) gathered.opaque.add(why);
    for (const why of analysis.unclear) gathered.unclear.add(why);
    gathered.redirects.push(...analysis.redirects);
    return analysis.commands.map((command) => partOf(command, depth));
  };
  const partOf = (command: SimpleCommand, depth: number): Part => {
    const [first] = command.words;
    if (first !== undefined && isUncertainName(first))
      gathered.opaque.add(`which program ${first.raw} is cannot be told`);
    for (const { name } of command.assigns) if (decidesWhatRuns(name)) gathered.opaque.add(`${name} decides what runs`);
    if (depth >= MAX_DEPTH) gathered.opaque.add('it nests too deep to be looked at');
    const found = depth >= MAX_DEPTH ? [] : unwrap(command);
    const part: Part = { command, risks: risksOf(command), inner: found.map((each) => innerOf(each, command, depth)) };
    gathered.all.push(part);
    return part;
  };
  const innerOf = (found: Unwrapped, command: SimpleCommand, depth: number): Inner => {
    const { from, same = false, words, script, assigns = [], opaque } = found;
    if (opaque !== undefined) gathered.opaque.add(opaque);
    for (const name of assigns) if (decidesWhatRuns(name)) gathered.opaque.add(`${name} decides what runs`);
    const parts =
      words !== undefined
        ? [
            partOf(
              { words, assigns: assigns.map((name) => ({ name, known: true })), raw: rawOf(words), fed: command.fed },
              depth + 1,
            ),
          ]
        : script !== undefined
          ? partsOf(analyse(script, parser), depth + 1)
          : [];
    return { from, same, parts };
  };
  const parts = partsOf(analyse(source, parser), 0);
  return {
    parts,
    all: gathered.all,
    redirects: gathered.redirects,
    opaque: [...gathered.opaque],
    unclear: [...gathered.unclear],
  };
}

/** Where one of these is the name of a command, the grammar did not see what the shell does: `! if a; then b; fi`. */
const RESERVED: ReadonlySet<string> = new Set(
  'if then else elif fi for while until do done case esac select function in foreach end always ! [[ ]] { }'.split(' '),
);

/** Plain names are programs; what holds anything else may be shown as one name and run another. */
function isUncertainName({ text, known, glob, raw }: Word): boolean {
  return !known || glob || /^~/.test(raw) || RESERVED.has(raw) || !/^(?:[\w@%+:,./~-]+|\[)$/.test(text);
}

function rawOf(words: readonly Word[]): string {
  return words.map(({ raw }) => raw).join(' ');
}
