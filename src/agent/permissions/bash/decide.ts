/** Whether a line of shell may run. */

import { isHarmless } from '../shell/environment.ts';
import { isInPlace } from '../shell/files.ts';
import { gitLooksOnly } from '../shell/gitreadonly.ts';
import type { ShellParser } from '../shell/parser.ts';
import { looksOnly } from '../shell/readonly.ts';
import { programOf } from '../shell/unwrap.ts';
import { type Policy, type Reason, type Rule, strictest, type Verdict } from '../types.ts';
import { commandPattern } from '../wildcard.ts';
import { fileFindings, usesOf } from './files.ts';
import { covers, forbids } from './match.ts';
import { type Line, type Part, readLine } from './parts.ts';

export function decideBash(source: string, policy: Policy, parser: ShellParser): Verdict {
  const { mode, rules } = policy;
  const line = readLine(source, parser);
  const files = fileFindings(line, policy);
  const guarded = files.hard.find(({ reason }) => reason.kind === 'protected');
  const isBypassed = mode === 'bypassPermissions';
  const hard = [
    ...byRules(source, line, rules),
    ...files.hard.filter(({ reason }) => !isBypassed || reason.kind !== 'protected'),
  ];
  const stopped = strictest(hard);
  if (stopped?.behaviour === 'deny') return stopped;
  if (mode === 'plan')
    return isLooking(line, files.soft.length)
      ? (stopped ?? HARMLESS)
      : { behaviour: 'deny', reason: { kind: 'mode', mode } };
  if (stopped !== undefined) return stopped;
  if (isBypassed) return { behaviour: 'allow', reason: { kind: 'mode', mode }, ...noteOn(guarded) };
  const whole = rules.find((rule) => allowsWhole(rule, source));
  if (whole !== undefined) return { behaviour: 'allow', reason: { kind: 'rule', rule: whole } };
  const unclear = [...line.opaque, ...line.unclear, ...combined(line)].map(
    (what): Verdict => ({ behaviour: 'ask', reason: { kind: 'unclear', what } }),
  );
  const parts = line.parts.map((part) => ofPart(part, policy));
  const found = strictest([...unclear, ...parts.filter(({ behaviour }) => behaviour !== 'allow'), ...files.soft]);
  if (found !== undefined) return found;
  return (
    parts.find(({ reason }) => reason.kind === 'rule') ?? parts.find(({ reason }) => reason.kind === 'mode') ?? HARMLESS
  );
}

const HARMLESS: Verdict = { behaviour: 'allow', reason: { kind: 'harmless' } };

function noteOn(guarded: Verdict | undefined): { note?: string } {
  return guarded?.reason.kind === 'protected' ? { note: `It changes a protected file: ${guarded.reason.path}` } : {};
}

/** What rules forbid or want to be asked about. */
function byRules(source: string, line: Line, rules: readonly Rule[]): Verdict[] {
  return rules.flatMap((rule): Verdict[] => {
    const { behaviour, tool, spec, problem } = rule;
    if (behaviour === 'allow') return [];
    const isPath = (tool === 'Read' || tool === 'Edit') && spec !== undefined && problem === undefined;
    if (tool !== 'Bash' && !isPath) return [];
    const maybe: Reason = { kind: 'maybe', rule };
    const hidden: Verdict[] = line.opaque.length > 0 ? [{ behaviour: 'ask', reason: maybe }] : [];
    if (isPath) return hidden;
    if (spec !== undefined && problem === undefined && commandPattern(spec).matches(source.trim()))
      return [{ behaviour, reason: { kind: 'rule', rule } }];
    const hits = line.all.flatMap((part): Verdict[] => {
      const hit = forbids(rule, part);
      const where = { rule, part: part.command.raw };
      if (hit === 'no') return [];
      return [
        hit === 'yes'
          ? { behaviour, reason: { kind: 'rule', ...where } }
          : { behaviour: 'ask', reason: { kind: 'maybe', ...where } },
      ];
    });
    return [...hits, ...hidden];
  });
}

/** All commands, or this very one. */
function allowsWhole({ behaviour, tool, spec, problem }: Rule, source: string): boolean {
  if (behaviour !== 'allow' || tool !== 'Bash' || problem !== undefined) return false;
  return spec === undefined || (!spec.includes('*') && spec.trim() === source.trim());
}

/** Each harmless alone, but not together. */
function combined({ all, redirects }: Line): string[] {
  const names = all.map(({ command }) => programOf(command));
  if (!names.some((name) => /^(?:cd|pushd|popd|chdir)$/.test(name))) return [];
  return [
    ...(names.some((name) => /^(?:git|hg|svn|jj)$/.test(name))
      ? ['in another folder git may run what is set up there']
      : []),
    ...(redirects.some(({ writes, word }) => writes && !word.text.startsWith('/'))
      ? ['where it writes depends on cd']
      : []),
  ];
}

function isLooking(line: Line, doubts: number): boolean {
  return (
    doubts === 0 &&
    line.opaque.length === 0 &&
    line.unclear.length === 0 &&
    combined(line).length === 0 &&
    line.parts.every(looks) &&
    !usesOf(line).some(({ writes }) => writes)
  );
}

function looks(part: Part): boolean {
  const { command, risks, inner } = part;
  if (inner.length > 0)
    return (
      inner.every(({ same, parts }) => same && parts.every(looks)) &&
      command.assigns.every(({ name }) => isHarmless(name))
    );
  if (risks.length > 0 && programOf(command) !== 'git') return false;
  const bare = command.assigns.every(({ name }) => isHarmless(name)) ? { ...command, assigns: [] } : command;
  if (bare.words.length === 0) return bare.assigns.length === 0;
  return gitLooksOnly(bare) || (looksOnly(bare) && !(programOf(bare) === 'sed' && isInPlace(bare)));
}

function ofPart(part: Part, policy: Policy): Verdict {
  const { mode, rules } = policy;
  if (looks(part)) return HARMLESS;
  const rule = rules.find((each) => each.behaviour === 'allow' && each.tool === 'Bash' && covers(each, part));
  if (rule !== undefined) return { behaviour: 'allow', reason: { kind: 'rule', rule } };
  const { command, inner, risks } = part;
  const raw = command.raw;
  const isClear = command.assigns.every(({ name }) => isHarmless(name));
  if (isClear && inner.length > 0 && inner.every(({ same, parts }) => same && parts.length > 0)) {
    const verdicts = inner.flatMap(({ parts }) => parts.map((each) => ofPart(each, policy)));
    return strictest(verdicts) ?? { behaviour: 'ask', reason: { kind: 'unsaid', part: raw } };
  }
  if (isClear && mode === 'acceptEdits' && isFileWork(part))
    return { behaviour: 'allow', reason: { kind: 'mode', mode } };
  const [risk] = risks;
  const isNamed = rules.some(
    (each) => each.behaviour === 'allow' && each.tool === 'Bash' && covers(each, { ...part, risks: [] }),
  );
  if (risk !== undefined && isNamed)
    return { behaviour: 'ask', reason: { kind: 'unclear', what: risk.what, part: raw } };
  return { behaviour: 'ask', reason: { kind: 'unsaid', part: raw } };
}

/** Making, moving and removing files: as edits, they pass inside the folders of the work. */
function isFileWork({ command, risks, inner }: Part): boolean {
  const { words } = command;
  if (risks.length > 0 || inner.length > 0 || !words.every(({ known }) => known) || words[0]?.text.includes('/'))
    return false;
  return (
    /^(?:mkdir|touch|rm|rmdir|mv|cp)$/.test(programOf(command)) || (programOf(command) === 'sed' && isInPlace(command))
  );
}
