/** `skein slim`: a session with less in its old turns, that still resumes. */
import { draftOf } from '../../edit/draft.ts';
import type { Note } from '../../edit/log.ts';
import { BUDGET_STEPS, PRESET_NAMES, PRESETS, type Preset, type SlimStep } from '../../edit/slim/settings.ts';
import { type Slimmed, type SlimReport, slim as slimEntries } from '../../edit/slim/slim.ts';
import type { Arguments, Command } from '../command.ts';
import type { Context } from '../context.ts';
import { EDIT_OPTIONS, IN_PLACE_OPTION } from '../edit/options.ts';
import { printWritten } from '../edit/print.ts';
import { openSource } from '../edit/source.ts';
import { writeEdit } from '../edit/write.ts';
import { UsageError } from '../errors.ts';
import { amountOf, countOf } from '../slim/amounts.ts';
import { fittingStep, type MakeStep, presetSizes, type Tried } from '../slim/budget.ts';
import { RULE_HELP, rulesOf } from '../slim/rules.ts';
import { tokenLines, tokensText } from '../slim/table.ts';
import { titleFor } from '../slim/title.ts';
import { sayUnchanged } from '../slim/unchanged.ts';

export const slim: Command = {
  name: 'slim',
  usage: 'SEL [--preset PRESET] [--turns N] [--keep RULE] [--drop RULE] [--budget TOKENS]',
  summary: 'a session with less in its old turns, that still resumes',
  details: [
    'Writes a new session in which the last turns with tool calls are whole and older ones hold less: results and inputs shortened, images, thinking and attachments gone, progress, checkpoints and the like left out. What was typed and answered stays. No model is asked. The session named stays as it is.',
    'Presets: light keeps 10 turns whole and shortens what is longer than 4,000 characters. standard (the default) keeps 5, shortens to 800 and drops thinking and attachments. deep keeps 2 and leaves stubs for results. bare keeps none and drops all tool calls. A preset applied to its own result changes nothing.',
    'A stub says what was removed and the command that shows it: [skein: 48213 characters of Bash result removed; original: skein cat 4f0c2a1e --uuid …]. An agent can follow it. Calls and results always go together, thinking goes whole, and the tool loop that is still open is left alone.',
    'With --budget the presets are tried one after the other, from light on or from --preset, until the context fits; exit 1 and nothing is written if none does. Tokens are those the API counted for the last answer; what is saved is estimated.',
  ],
  options: {
    preset: { type: 'string', value: 'PRESET', choices: PRESET_NAMES, help: 'light, standard (default), deep or bare' },
    turns: {
      type: 'string',
      value: 'N',
      help: 'Keep the last N turns with tool calls whole instead of what the preset keeps',
    },
    keep: {
      type: 'string',
      multiple: true,
      value: 'RULE',
      help: `Keep these tool calls whole in old turns too: ${RULE_HELP}`,
    },
    drop: {
      type: 'string',
      multiple: true,
      value: 'RULE',
      help: 'Remove these tool calls with their results, in kept turns too; --keep wins',
    },
    budget: { type: 'string', value: 'TOKENS', help: 'Slim until the context takes no more than this, e.g. 80k' },
    title: {
      type: 'string',
      value: 'TITLE',
      help: 'The title of the copy (default: that of the original with "(slim)")',
    },
    ...IN_PLACE_OPTION,
    ...EDIT_OPTIONS,
  },
  examples: [
    ['skein slim @last --dry-run', 'what it would save'],
    ['skein slim 4f0c --preset deep', 'little more than what was said, and two whole turns'],
    ['skein slim 4f0c --budget 80k', 'as little as needed to fit'],
    ['skein slim 4f0c --keep file:src/app.ts --drop tool:WebFetch', 'by tool and file'],
    ['skein slim 4f0c --drop "tool:Read,size:>20k"', 'large reads only'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const rules = rulesOf(args, context.now());
  const steps = stepsOf(args);
  const wanted = args.value('budget');
  const budget = wanted === undefined ? undefined : amountOf(wanted, `--budget ${wanted}`, 1);
  const source = openSource(context, args);
  const from = source.file.sessionId;
  const make: MakeStep = (step, target) =>
    slimEntries(source.entries, { settings: step.settings, rules, from, ...target });
  const { step, before, tried } =
    budget === undefined ? { step: steps[0], before: 0, tried: [] } : fittingStep(context, source, steps, budget, make);
  if (step === undefined) {
    const fits = `The context fits as it is: ${tokensText(before)} tokens.`;
    return sayUnchanged(context, args, source, fits, { before: { tokens: before }, after: { tokens: before } });
  }
  const title = titleFor(args, source.title, 'slim');
  let made: Slimmed | undefined;
  const written = writeEdit(context, args, {
    verb: 'slim',
    source,
    make: (target) => {
      made = make(step, target);
      return draftOf(
        { ...made, notes: mendedNotes(made) },
        { ...target, title, lastPrompt: source.outline.lastPrompt },
      );
    },
    title,
  });
  const report = made?.report();
  if (report === undefined) return 1;
  const { tokens, turns, removedCalls } = report;
  await printWritten(context, args, written, {
    did: 'Slimmed',
    title,
    before: { tokens: tokens.before, recorded: tokens.recorded, kinds: report.before },
    after: {
      tokens: tokens.after,
      kinds: report.after,
      preset: step.name,
      steps: tried,
      ...(args.flag('dry-run') && args.flag('json') && { presets: presetSizes(context, source, make) }),
      toolTurns: turns.all,
      wholeTurns: turns.whole,
      removedCalls,
    },
    lines: [...tried.map(tellTried), ...tokenLines(context, report), tellTurns(step, report)],
  });
  return 0;
}

/** What the API refuses is no part of a slim; it would not resume with it. */
function mendedNotes({ notes }: Slimmed): Note[] {
  if (notes.length === 0) return [];
  return [{ rule: 'S8', what: `mended on the way: ${notes.length} flaws; see them with skein repair --dry-run` }];
}

function tellTried({ name, tokens }: Tried): string {
  return `${name}: ~${tokensText(tokens)} tokens`;
}

function tellTurns({ name }: SlimStep, { turns, removedCalls, tokens }: SlimReport): string {
  const removed = removedCalls > 0 ? `, ${removedCalls} calls removed` : '';
  const isSame = tokens.before === tokens.after && turns.whole === turns.all;
  const hint = isSame ? '; nothing was old enough: try --turns 1, or --preset deep' : '';
  return `${name}: ${turns.whole} of ${turns.all} turns with tool calls are whole${removed}${hint}`;
}

function stepsOf(args: Arguments): SlimStep[] {
  const name = presetOf(args.value('preset'));
  const from = args.value('budget') === undefined ? (name ?? 'standard') : (name ?? 'light');
  const turns = args.value('turns');
  const kept = turns === undefined ? undefined : countOf(turns, '--turns');
  const steps =
    args.value('budget') === undefined
      ? [{ name: from, settings: PRESETS[from] }]
      : BUDGET_STEPS.slice(BUDGET_STEPS.findIndex((step) => step.name === from));
  return kept === undefined ? steps : steps.map((step) => ({ ...step, settings: { ...step.settings, turns: kept } }));
}

function presetOf(name: string | undefined): Preset | undefined {
  const found = PRESET_NAMES.find((each) => each === name);
  if (name !== undefined && found === undefined) {
    throw new UsageError(
      `There is no preset "${name}".`,
      `--preset ${name}`,
      `Presets are ${PRESET_NAMES.join(', ')}.`,
    );
  }
  return found;
}
