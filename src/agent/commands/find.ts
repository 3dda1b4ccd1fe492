/** The commands and skills that a person, or the model, can call by name. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { gitTop } from '../../disk/gittop.ts';
import { isTrusted } from '../settings/trust.ts';
import { readMatter, textField } from './frontmatter.ts';

export interface Command {
  /** `greet`, or `sub:greet` in a folder. */
  readonly name: string;
  readonly kind: 'command' | 'skill';
  readonly description: string;
  readonly hint?: string;
  readonly body: string;
  readonly file: string;
  /** What it lets run unasked. */
  readonly allowedTools: readonly string[];
  readonly model?: string;
  /** Of a project that nobody trusted: what it lets run counts when a person calls it, not when the model does. */
  readonly isStrange: boolean;
  /** The model may not call it by itself. */
  readonly isForPeople: boolean;
  /** A person may not call it; the model may. */
  readonly isForModel: boolean;
}

export interface CommandPlace {
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  /** Whose are looked for, the user's or the project's; both without it. */
  readonly sources?: readonly string[];
}

/** The folders that may have some, the user's own first. */
export function sourceFolders({ cwd, config, sources }: Omit<CommandPlace, 'home'>): string[] {
  const has = (source: string) => sources?.includes(source) !== false;
  return [...(has('user') ? [config] : []), ...(has('project') ? projectFolders(cwd) : [])];
}

/** By name. The user's own come before the project's, skills before commands, the nearest folder first. */
export function findCommands(place: CommandPlace): Map<string, Command> {
  const { config } = place;
  const found = new Map<string, Command>();
  let trusted: boolean | undefined;
  const isStrange = ({ file, allowedTools }: Command): boolean => {
    if (allowedTools.length === 0 || file.startsWith(join(config, sep))) return false;
    trusted ??= isTrusted(place);
    return !trusted;
  };
  const add = (command: Command | undefined): void => {
    if (command === undefined || found.has(command.name)) return;
    found.set(command.name, { ...command, isStrange: isStrange(command) });
  };
  for (const folder of sourceFolders(place)) {
    for (const file of filesIn(join(folder, 'skills'), 1)) {
      if (basename(file) === 'SKILL.md' && dirname(file) !== join(folder, 'skills'))
        add(readCommand(file, 'skill', ''));
    }
    const commands = join(folder, 'commands');
    for (const file of filesIn(commands, MOST_DEPTH)) {
      if (file.endsWith('.md')) add(readCommand(file, 'command', relative(commands, file)));
    }
  }
  return found;
}

const MOST_DEPTH = 8;
const MOST_FILES = 2000;

/** From the folder up to that of the repository. */
export function projectFolders(cwd: string): string[] {
  const top = gitTop(cwd) ?? cwd;
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(join(folder, '.claude'));
    if (folder === top || dirname(folder) === folder) return folders;
  }
}

export function filesIn(folder: string, depth: number): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    const files = entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory() || (entry.isSymbolicLink() && depth > 0)) {
        const inner = depth > 0 ? filesIn(path, depth - 1) : [];
        return entry.isSymbolicLink() && inner.length === 0 ? [path] : inner;
      }
      return [path];
    });
    return files.slice(0, MOST_FILES);
  } catch {
    return [];
  }
}

function readCommand(file: string, kind: Command['kind'], path: string): Command | undefined {
  const matter = readMatter(file);
  if (matter === undefined) return undefined;
  const { fields, body } = matter;
  const name = kind === 'skill' ? basename(dirname(file)) : path.replace(/\.md$/, '').split(sep).join(':');
  const hint = textField(fields, 'argument-hint');
  const model = textField(fields, 'model');
  return {
    name,
    kind,
    description: textField(fields, 'description') ?? firstLine(body),
    ...(hint !== undefined && { hint }),
    body,
    file,
    allowedTools: toolsOf(fields['allowed-tools']),
    ...(model !== undefined && model !== 'inherit' && { model }),
    isStrange: false,
    isForPeople: textField(fields, 'disable-model-invocation') === 'true',
    isForModel: textField(fields, 'user-invocable') === 'false',
  };
}

function firstLine(body: string): string {
  const line = body.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.replace(/^#+\s*/, '').trim();
}

/** `Bash(git log:*), Read` or a list. */
export function toolsOf(value: string | readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value !== 'string') return [...value];
  return value.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}
