/** Tools that read and change files: confined to the folders of the work, whatever links and dots lead elsewhere. */
import { isInside, isReadable, placeOf, ruleFitsPlace, spellings } from './paths.ts';
import { isProtected } from './protected.ts';
import { EDITORS, isOfTool, toolName } from './rules.ts';
import { type Call, type Policy, type Rule, strictest, type Verdict } from './types.ts';

export function decideFile(call: Call, policy: Policy): Verdict {
  const { tool, input } = call;
  const { mode, rules, world } = policy;
  const writes = tool.acts === 'writes' || EDITORS.has(toolName(tool.name));
  const path = tool.path?.(input) ?? (writes ? undefined : '.');
  if (path === undefined || path.includes('\0'))
    return { behaviour: 'ask', reason: { kind: 'unclear', what: 'which file is meant cannot be told' } };
  const place = placeOf(path, world);
  const told = strictest(
    rules.flatMap((rule): Verdict[] => {
      const { behaviour } = rule;
      if (behaviour === 'allow' || rule.spec === undefined || !isAbout(rule, tool.name, writes)) return [];
      return ruleFitsPlace(rule, place, world) ? [{ behaviour, reason: { kind: 'rule', rule } }] : [];
    }),
  );
  const guarded = writes ? spellings(place).find(isProtected) : undefined;
  if (told !== undefined) return told;
  if (mode === 'bypassPermissions') {
    return {
      behaviour: 'allow',
      reason: { kind: 'mode', mode },
      ...(guarded !== undefined && { note: `It changes a protected file: ${guarded}` }),
    };
  }
  if (writes && mode === 'plan') return { behaviour: 'deny', reason: { kind: 'mode', mode } };
  if (place.real === undefined)
    return { behaviour: 'ask', reason: { kind: 'unclear', what: `the links at ${place.given} lead nowhere` } };
  if (guarded !== undefined) return { behaviour: 'ask', reason: { kind: 'protected', path: guarded } };
  const inside = isInside(place, world);
  if (!writes && isReadable(place, world)) return { behaviour: 'allow', reason: { kind: 'harmless' } };
  if (inside && mode === 'acceptEdits' && !world.folders.includes(place.real))
    return { behaviour: 'allow', reason: { kind: 'mode', mode } };
  const rule = rules.find(
    (each) =>
      each.behaviour === 'allow' &&
      each.problem === undefined &&
      isOfTool(each, tool.name) &&
      ruleFitsPlace(each, place, world),
  );
  if (rule !== undefined) return { behaviour: 'allow', reason: { kind: 'rule', rule } };
  return {
    behaviour: 'ask',
    reason: inside ? { kind: 'writes', path: place.given } : { kind: 'outside', path: place.real, writes },
  };
}

/** What may not be read may not be written either. */
function isAbout(rule: Rule, name: string, writes: boolean): boolean {
  return isOfTool(rule, name) || (writes && rule.tool === 'Read');
}
