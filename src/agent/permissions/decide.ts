/** May this call run? Deny before ask before allow, whatever the rules come from; then the mode. Pure: what has to be looked up is handed in. */
import { asString, type Json } from '../../format/json.ts';
import { decideBash } from './bash/decide.ts';
import { hostOf, matchesDomain } from './domains.ts';
import { decideFile } from './filetools.ts';
import { EDITORS, isOfTool, parameterOf, READERS, toolName } from './rules.ts';
import type { ShellParser } from './shell/parser.ts';
import { type Call, type Policy, type Rule, strictest, type Verdict } from './types.ts';
import { commandPattern, glob } from './wildcard.ts';

/** Whether the parser has to be loaded for it. */
export function needsParser({ tool, input }: Call, { mode, rules }: Policy): boolean {
  if (tool.name !== 'Bash') return false;
  if (mode !== 'bypassPermissions') return true;
  const scoped = rules.some(
    ({ behaviour, tool: about, spec }) =>
      behaviour !== 'allow' && spec !== undefined && /^(?:Bash|Read|Edit)$/.test(about),
  );
  // A removal of everything is asked about even then, and a protected file is worth a word.
  return scoped || /rm|\.\w|[\\$`]|''|""/.test(asString(input.command) ?? '');
}

export function decide(call: Call, policy: Policy, parser?: ShellParser): Verdict {
  const { rules } = policy;
  const told = strictest(rules.flatMap((rule) => byName(rule, call)));
  if (told?.behaviour === 'deny') return told;
  const own = ownVerdict(call, policy, parser);
  return told !== undefined && own.behaviour === 'allow' ? told : own;
}

/** Rules that forbid or question a tool as a whole, or by one of its parameters. */
function byName(rule: Rule, { tool, input }: Call): Verdict[] {
  const { behaviour, spec, problem } = rule;
  if (behaviour === 'allow' || !isOfTool(rule, tool.name)) return [];
  if (spec === undefined || problem !== undefined) return [{ behaviour, reason: { kind: 'rule', rule } }];
  const parameter = parameterOf(spec);
  const value: Json | undefined =
    parameter === undefined || !Object.hasOwn(input, parameter.name) ? undefined : input[parameter.name];
  if (parameter === undefined || value === undefined || value === null || typeof value === 'object') return [];
  return glob(parameter.value.trim()).test(String(value)) ? [{ behaviour, reason: { kind: 'rule', rule } }] : [];
}

function ownVerdict(call: Call, policy: Policy, parser: ShellParser | undefined): Verdict {
  const { tool, input } = call;
  const name = toolName(tool.name);
  if (name === 'Bash') {
    const command = asString(input.command);
    if (command === undefined) return { behaviour: 'ask', reason: { kind: 'unclear', what: 'there is no command' } };
    if (parser !== undefined) return decideBash(command, policy, parser);
    return policy.mode === 'bypassPermissions' && !needsParser(call, policy)
      ? byMode(policy)
      : { behaviour: 'ask', reason: { kind: 'unclear', what: 'the command cannot be parsed here' } };
  }
  if (EDITORS.has(name) || READERS.has(name) || tool.path !== undefined) return decideFile(call, policy);
  return strictest(scoped(call, policy)) ?? general(call, policy);
}

function byMode({ mode }: Policy): Verdict {
  return { behaviour: 'allow', reason: { kind: 'mode', mode } };
}

/** Rules about what a tool is told: a host, the name of an agent or a skill. */
function scoped({ tool, input }: Call, { rules }: Policy): Verdict[] {
  return rules.flatMap((rule): Verdict[] => {
    const { behaviour, spec, problem } = rule;
    if (behaviour === 'allow' || spec === undefined || problem !== undefined || !isOfTool(rule, tool.name)) return [];
    const hit = isAbout(spec, toolName(tool.name), input);
    if (hit === undefined) return [{ behaviour: 'ask', reason: { kind: 'maybe', rule } }];
    return hit ? [{ behaviour, reason: { kind: 'rule', rule } }] : [];
  });
}

/** Undefined where it cannot be told. */
function isAbout(spec: string, name: string, input: Call['input']): boolean | undefined {
  if (name === 'WebFetch') {
    if (!spec.startsWith('domain:')) return false;
    const host = hostOf(asString(input.url) ?? '');
    return host === undefined ? undefined : matchesDomain(spec, host);
  }
  const told =
    name === 'Task'
      ? asString(input.subagent_type)
      : (asString(input.skill) ?? asString(input.command) ?? asString(input.name));
  if (told === undefined) return name === 'Task' || name === 'Skill' ? undefined : false;
  return commandPattern(spec).matches(told.replace(/^\//, ''));
}

function general(call: Call, policy: Policy): Verdict {
  const { tool, input } = call;
  const { mode, rules } = policy;
  if (mode === 'bypassPermissions') return byMode(policy);
  if (mode === 'plan' && (tool.acts === 'writes' || tool.acts === 'runs'))
    return { behaviour: 'deny', reason: { kind: 'mode', mode } };
  const allowing = rules.find((rule) => {
    if (rule.behaviour !== 'allow' || rule.problem !== undefined || !isOfTool(rule, tool.name)) return false;
    return rule.spec === undefined || isAbout(rule.spec, toolName(tool.name), input) === true;
  });
  if (allowing !== undefined) return { behaviour: 'allow', reason: { kind: 'rule', rule: allowing } };
  return tool.acts === 'reads' || tool.acts === 'notes'
    ? { behaviour: 'allow', reason: { kind: 'harmless' } }
    : { behaviour: 'ask', reason: { kind: 'unsaid' } };
}
