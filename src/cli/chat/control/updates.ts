/** `updatedPermissions`: rules, folders and the mode, for the rest of the session. What is allowed for good is saved. */
import { resolve } from 'node:path';
import type { Agent } from '../../../agent/agenttypes.ts';
import { MODES } from '../../../agent/gate.ts';
import { parseRule } from '../../../agent/permissions/rules.ts';
import type { Behaviour, Rule } from '../../../agent/permissions/types.ts';
import { asArray, asString, isObject, type Json, type JsonObject } from '../../../format/json.ts';

type Steered = Pick<Agent, 'amend' | 'setMode' | 'cwd' | 'mayBypass'>;

/** What nothing can be made of is left out. `keep`: saves a rule that allows, in the local settings of the project. */
export function applyUpdates(updates: readonly JsonObject[], agent: Steered, keep: (rule: string) => void): void {
  for (const update of updates) apply(update, agent, keep);
}

function apply(update: JsonObject, agent: Steered, keep: (rule: string) => void): void {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      changeRules(update, agent, keep);
      break;
    case 'addDirectories': {
      const added = foldersIn(update, agent.cwd);
      agent.amend({ folders: (folders) => [...folders, ...added] });
      break;
    }
    case 'removeDirectories': {
      const gone = new Set(foldersIn(update, agent.cwd));
      agent.amend({ folders: (folders) => folders.filter((each, i) => i === 0 || !gone.has(each)) });
      break;
    }
    case 'setMode': {
      const mode = MODES.find((each) => each === update.mode);
      if (mode !== undefined && (mode !== 'bypassPermissions' || agent.mayBypass)) agent.setMode(mode);
    }
  }
}

/** Those of the settings stay: what a program takes away is what it gave. */
function changeRules(update: JsonObject, agent: Steered, keep: (rule: string) => void): void {
  const behaviour = (['allow', 'ask', 'deny'] as const).find((each) => each === update.behavior);
  if (behaviour === undefined) return;
  const made = asArray(update.rules)?.flatMap((rule) => ruleOf(rule, behaviour, agent.cwd)) ?? [];
  const isOurs = (rule: Rule) => rule.source.name === SESSION && rule.behaviour === behaviour;
  const texts = new Set(made.map(({ text }) => text));
  const isKept = update.type === 'addRules' && behaviour === 'allow' && update.destination === 'localSettings';
  for (const { text, problem } of made) if (isKept && problem === undefined) keep(text);
  agent.amend({
    rules: (rules) => {
      if (update.type === 'addRules') return [...rules, ...made];
      if (update.type === 'replaceRules') return [...rules.filter((rule) => !isOurs(rule)), ...made];
      return rules.filter((rule) => !isOurs(rule) || !texts.has(rule.text));
    },
  });
}

const SESSION = 'session';

function ruleOf(value: Json, behaviour: Behaviour, root: string): Rule[] {
  const name = isObject(value) ? asString(value.toolName) : undefined;
  if (!isObject(value) || name === undefined) return [];
  const content = asString(value.ruleContent);
  const source = { name: SESSION, where: 'the program', root };
  return [parseRule(content === undefined ? name : `${name}(${content})`, behaviour, source)];
}

function foldersIn({ directories }: JsonObject, cwd: string): string[] {
  return (asArray(directories) ?? []).flatMap((each) => {
    const folder = asString(each);
    return folder === undefined ? [] : [resolve(cwd, folder)];
  });
}
