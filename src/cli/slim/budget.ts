/** `--budget`: the first step whose result fits. Steps are tried without writing anything. */
import { draftOf } from '../../edit/draft.ts';
import type { FreshUuid } from '../../edit/ids.ts';
import { encodeDraft } from '../../edit/log.ts';
import { PRESET_NAMES, PRESETS, type SlimStep } from '../../edit/slim/settings.ts';
import type { Slimmed } from '../../edit/slim/slim.ts';
import type { Context } from '../context.ts';
import type { EditSource } from '../edit/source.ts';
import { CommandError } from '../errors.ts';
import { quoted } from '../quoted.ts';
import { shortId } from '../shortid.ts';
import { tokensText } from './table.ts';

export interface Tried {
  readonly name: string;
  /** What the context would take. */
  readonly tokens: number;
}

export interface Fitting {
  /** Undefined when the context fits as it is. */
  readonly step: SlimStep | undefined;
  /** What the context takes now. */
  readonly before: number;
  readonly tried: readonly Tried[];
}

export type MakeStep = (step: SlimStep, target: { readonly freshUuid: FreshUuid; readonly now: string }) => Slimmed;

/** Throws CommandError where none fits, saying how far they get. */
export function fittingStep(
  context: Context,
  { file }: EditSource,
  steps: readonly SlimStep[],
  budget: number,
  make: MakeStep,
): Fitting {
  const tried: Tried[] = [];
  let before = 0;
  for (const step of steps) {
    const tokens = tokensAfter(make, step, file.sessionId, context.now().toISOString());
    before = tokens.before;
    if (before <= budget) return { step: undefined, before, tried };
    tried.push({ name: step.name, tokens: tokens.after });
    if (tokens.after <= budget) return { step, before, tried };
  }
  const far = tried.map(({ name, tokens }) => `${name} ~${tokensText(tokens)}`).join('; ');
  const id = quoted(shortId(file.sessionId));
  const least = Math.min(before, ...tried.map(({ tokens }) => tokens));
  const best = least < before ? ` Or take what there is: skein slim ${id} --budget ${least}` : '';
  throw new CommandError(
    `The context of ${tokensText(before)} tokens does not get below ${tokensText(budget)}: ${far}. Nothing was written.`,
    file.file,
    `What was said takes the rest: skein compress ${id}.${best}`,
  );
}

/** What each preset would leave, for whoever is to choose one. */
export function presetSizes(context: Context, { file }: EditSource, make: MakeStep): Tried[] {
  const now = context.now().toISOString();
  return PRESET_NAMES.map((name) => {
    const { after } = tokensAfter(make, { name, settings: PRESETS[name] }, file.sessionId, now);
    return { name, tokens: after };
  });
}

/** Lines are counted as they are made. */
function tokensAfter(make: MakeStep, step: SlimStep, from: string, now: string) {
  let count = 0;
  const freshUuid = () => {
    count += 1;
    return `try-${count}`;
  };
  const made = make(step, { freshUuid, now });
  let bytes = 0;
  for (const line of encodeDraft(draftOf(made, { sessionId: 'try', from, freshUuid, now }))) bytes += line.length;
  return { ...made.report().tokens, bytes };
}
