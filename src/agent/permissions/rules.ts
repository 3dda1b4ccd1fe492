/** Rules as they are written in settings and flags: `Tool` or `Tool(what)`. A rule that nothing can be made of is kept and says so. */
import type { Behaviour, Rule, RuleSource } from './types.ts';
import { glob } from './wildcard.ts';

export function parseRule(text: string, behaviour: Behaviour, source: RuleSource): Rule {
  const rule = { text, behaviour, source };
  const [, tool, spec] = /^([^\s()]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined) {
    const named = /^[\w-]+/.exec(text.trim())?.[0];
    const problem = 'it is neither Tool nor Tool(what)';
    // Nobody can tell which tool was meant: all of them.
    return { ...rule, tool: named ?? (text.trim() === '' ? '' : '*'), problem };
  }
  const name = ALIASES.get(tool) ?? tool;
  const said = spec === undefined || spec === '*' || spec === ':*' ? undefined : spec;
  const problem = problemOf(name, said, behaviour);
  return { ...rule, tool: name, ...(said !== undefined && { spec: said }), ...(problem !== undefined && { problem }) };
}

/** A tool has had two names. */
const ALIASES: ReadonlyMap<string, string> = new Map([['Agent', 'Task']]);

export function toolName(name: string): string {
  return ALIASES.get(name) ?? name;
}

/** Tools whose files are ruled by Edit and Read. */
export const EDITORS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);
export const READERS: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LS', 'NotebookRead']);

/** Edit stands for every tool that changes files, Read for every one that reads them. */
export function isOfTool({ tool: about, behaviour }: Rule, name: string): boolean {
  const own = toolName(name);
  if (about === own || (about === 'Edit' && EDITORS.has(own)) || (about === 'Read' && READERS.has(own))) return true;
  // A server may have `__` in its name: what forbids holds for it too.
  const isServer = /^mcp__[^*]+$/.test(about) && (behaviour !== 'allow' || !about.slice(5).includes('__'));
  if (isServer && own.startsWith(`${about}__`)) return true;
  if (!about.includes('*')) return false;
  return (behaviour !== 'allow' || /^mcp__[^*]+?__/.test(about)) && glob(about).test(own);
}

const PATH_TOOLS: ReadonlySet<string> = new Set([...EDITORS, ...READERS]);
const NAMED: ReadonlySet<string> = new Set(['Task', 'Skill', 'SlashCommand']);
/** What a rule about one parameter may not name: it has a better way. */
const MAIN_PARAMETERS = /^(?:command|file_path|path|notebook_path|url)$/;

function problemOf(tool: string, spec: string | undefined, behaviour: Behaviour): string | undefined {
  if (!/^[\w*-]+$/.test(tool)) return 'the name of the tool has characters no tool has';
  if (tool.includes('*') && behaviour === 'allow' && !/^mcp__[^*]+?__[\w*-]+$/.test(tool)) {
    return 'an allowing rule may leave only the tools of one named MCP server open';
  }
  if (spec === undefined) return undefined;
  if (spec.trim() === '') return 'there is nothing in its brackets';
  const parameter = parameterOf(spec)?.name;
  if (
    tool !== 'WebFetch' &&
    parameter !== undefined &&
    MAIN_PARAMETERS.test(parameter) &&
    !/^\s*\*?$/.test(spec.slice(parameter.length + 1))
  ) {
    return `${parameter} is not matched this way`;
  }
  if (tool === 'Bash') return /[\0\r\n]/.test(spec) ? 'a command of a rule is one line' : undefined;
  if (tool === 'WebFetch') return webFetchProblem(spec, behaviour);
  if (tool === 'Edit' || tool === 'Read') return pathProblem(spec);
  if (PATH_TOOLS.has(tool)) {
    const better = EDITORS.has(tool) ? 'Edit' : 'Read';
    return behaviour === 'allow' ? `paths are ruled by ${better}(…)` : pathProblem(spec);
  }
  if (NAMED.has(tool)) return undefined;
  if (behaviour !== 'allow' && parameter !== undefined) return undefined;
  return 'this tool has nothing to put in brackets';
}

function webFetchProblem(spec: string, behaviour: Behaviour): string | undefined {
  if (/^domain:[^\s/:@]+$/.test(spec)) return undefined;
  return behaviour !== 'allow' && parameterOf(spec) !== undefined && !spec.startsWith('domain')
    ? undefined
    : 'WebFetch takes domain:HOST';
}

function pathProblem(spec: string): string | undefined {
  if (spec.startsWith('!')) return 'a rule cannot be turned around by !';
  if (/^~[^/]/.test(spec)) return 'of home folders only ~/ is known';
  return /[\0\n]/.test(spec) ? 'a path is one line' : undefined;
}

/** `model:opus`: a field of the input, in deny and ask rules. */
export function parameterOf(spec: string): { readonly name: string; readonly value: string } | undefined {
  const [, name, value] = /^(\w+)\s*:\s*(.*)$/s.exec(spec) ?? [];
  return name === undefined || value === undefined ? undefined : { name, value };
}

/** Several in one text, apart by commas or blanks outside brackets, as flags give them. */
export function splitRules(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const parts = [''];
    let depth = 0;
    for (const char of text) {
      if (char === '(') depth += 1;
      else if (char === ')') depth -= 1;
      if (depth <= 0 && /[\s,]/.test(char)) parts.push('');
      else parts.push(`${parts.pop() ?? ''}${char}`);
    }
    return parts.filter((part) => part !== '');
  });
}

/** One line for each rule that does not do what it may be thought to do. */
export function problemsOf(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ text, behaviour, source, problem }) => {
    if (problem === undefined) return [];
    const effect = behaviour === 'allow' ? 'It allows nothing.' : `It holds for the whole tool.`;
    return [`${source.where ?? source.name}: the ${behaviour} rule "${text}": ${problem}. ${effect}`];
  });
}
