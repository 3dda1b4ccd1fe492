/** Why: for the model, for a person, and for the transcript. */
import type { JsonObject } from '../../format/json.ts';
import type { Reason, Rule, Verdict } from './types.ts';

/** One sentence, without the name of the call. */
export function whyOf({ reason }: Verdict): string {
  switch (reason.kind) {
    case 'rule':
      return `${ruleWords(reason.rule)} is about ${partWords(reason.part)}.`;
    case 'maybe':
      return `${ruleWords(reason.rule)} may be about ${partWords(reason.part)}; that cannot be told before it runs.`;
    case 'mode':
      return reason.mode === 'plan'
        ? 'In plan mode nothing is changed or started.'
        : `That is how the mode ${reason.mode} is.`;
    case 'harmless':
      return 'It only looks at what lies in the folders of the work.';
    case 'protected':
      return `${reason.path} is protected: files like it decide what programs run.`;
    case 'outside':
      return `${reason.path} lies outside the folders of the work.`;
    case 'writes':
      return `It writes ${reason.path}, and no rule allows that.`;
    case 'critical':
      return `It would remove ${reason.path}.`;
    case 'unclear':
      return `It cannot be checked before it runs: ${reason.what}.`;
    case 'unsaid':
      return reason.part === undefined ? 'No rule allows it.' : `No rule allows ${partWords(reason.part)}.`;
  }
}

function ruleWords({ behaviour, text, source, problem }: Rule): string {
  const wrong = problem === undefined ? '' : ` (which is taken for the whole tool: ${problem})`;
  return `The ${behaviour} rule ${text} of ${source.where ?? source.name}${wrong}`;
}

function partWords(part: string | undefined): string {
  if (part === undefined) return 'it';
  return `"${part.length > 100 ? `${part.slice(0, 100)}…` : part}"`;
}

/** `permissionDecision`, as the published client writes it. */
export function acceptRecord({ reason }: Verdict, tool: string): JsonObject {
  const record = { decision: 'accept', source: 'config' };
  if (tool === 'Bash' && reason.kind !== 'mode') return { ...record, reasonType: 'subcommandResults' };
  if (reason.kind === 'rule') return { ...record, reasonType: 'rule', ruleSource: reason.rule.source.name };
  return { ...record, reasonType: 'mode' };
}

/** `isAsked`: nobody was there to be asked. */
export function rejectRecord(verdict: Verdict, isAsked: boolean): JsonObject {
  const { reason } = verdict;
  const record = { decision: 'reject', source: 'config' };
  if (reason.kind === 'rule' || reason.kind === 'maybe') {
    const ruleSource = reason.rule.source.name;
    return { ...record, ...(!isAsked && { reasonType: 'rule' }), ruleSource, reasonCode: `rule:${ruleSource}` };
  }
  if (reason.kind === 'mode') return { ...record, reasonType: 'mode', reasonCode: `mode:${reason.mode}` };
  return { ...record, reasonCode: codeOf(reason) };
}

function codeOf(reason: Reason): string {
  if (reason.kind === 'outside') return 'workingDir';
  if (reason.kind === 'protected' || reason.kind === 'critical') return 'safetyCheck';
  return reason.kind === 'unsaid' && reason.part !== undefined ? 'bashMiss:no-rule-match' : 'unknown';
}
