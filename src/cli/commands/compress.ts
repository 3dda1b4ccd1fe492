/** `skein compress`: old turns become a summary, taken from them or written by a model. */
import { type Compressed, compress as compressEntries, turnsInContext } from '../../edit/compress/compress.ts';
import { draftOf } from '../../edit/draft.ts';
import { counted } from '../../views/counted.ts';
import type { Arguments, Command } from '../command.ts';
import type { Context } from '../context.ts';
import { modelSummary } from '../edit/modelsummary.ts';
import { EDIT_OPTIONS, IN_PLACE_OPTION } from '../edit/options.ts';
import { printWritten } from '../edit/print.ts';
import { type EditSource, openSource } from '../edit/source.ts';
import { writeEdit } from '../edit/write.ts';
import { CommandError } from '../errors.ts';
import { countOf } from '../slim/amounts.ts';
import { tokenLines } from '../slim/table.ts';
import { titleFor } from '../slim/title.ts';

const KEEP = '3';

export const compress: Command = {
  name: 'compress',
  usage: 'SEL [--keep N] [--tools] [--model MODEL]',
  summary: 'old turns as a summary, the last ones whole',
  details: [
    'Writes a new session that begins with a summary of all but the last turns, as the client writes it when it compacts a conversation; a resume goes on from there. What was typed stands in it verbatim, of each turn’s last answer the beginning and the end, and which tools ran. Without --model no model is asked: the same session gives the same summary. The session named stays as it is and keeps all of it.',
    'With --model the old turns are sent to that model (ANTHROPIC_API_KEY, as for skein chat), long results cut, and its summary stands before what was typed; also with --dry-run. If it fails nothing is written.',
    'A session that was compacted before keeps the summary it had, inside the new one.',
  ],
  options: {
    keep: { type: 'string', value: 'N', help: `Turns at the end that stay whole, at least 1 (default: ${KEEP})` },
    tools: { type: 'boolean', help: 'Tell each tool call with its command or file, without its result' },
    model: { type: 'string', value: 'MODEL', help: 'Have a model write the summary: opus, sonnet, haiku or a full id' },
    title: {
      type: 'string',
      value: 'TITLE',
      help: 'The title of the copy (default: that of the original with "(compressed)")',
    },
    ...IN_PLACE_OPTION,
    ...EDIT_OPTIONS,
  },
  examples: [
    ['skein compress @last --dry-run', 'what it would save'],
    ['skein compress 4f0c --keep 1 --tools', 'everything but the last turn, with a line for each tool call'],
    ['skein compress 4f0c --model haiku', 'a summary by a model'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const keep = countOf(args.value('keep') ?? KEEP, '--keep', 1);
  const source = openSource(context, args);
  const title = titleFor(args, source.title, 'compressed');
  const summary = await modelSummary(context, args.value('model'), source, keep);
  let made: Compressed | undefined;
  const written = writeEdit(context, args, {
    verb: 'compress',
    source,
    make: (target) => {
      const how = { keep, tools: args.flag('tools'), title: source.title, ...(summary !== undefined && { summary }) };
      made = compressEntries(source.entries, { ...target, ...how });
      if (made === undefined) throw nothingOlder(source, turnsInContext(source.entries, target), keep);
      return draftOf(made, { ...target, title, lastPrompt: source.outline.lastPrompt });
    },
    title,
  });
  const report = made?.report();
  if (report === undefined) return 1;
  const { tokens, turns } = report;
  await printWritten(context, args, written, {
    did: 'Compressed',
    title,
    before: { tokens: tokens.before, recorded: tokens.recorded, kinds: report.before },
    after: { tokens: tokens.after, kinds: report.after, summarizedTurns: turns.summarized, keptTurns: turns.kept },
    lines: [...tokenLines(context, report), `${counted(turns.summarized, 'turn')} summarized, ${turns.kept} whole`],
  });
  return 0;
}

function nothingOlder({ file, outline }: EditSource, inContext: number, keep: number): CommandError {
  const before = Math.max(0, outline.turns - inContext);
  const earlier =
    before === 0 ? '' : ` The ${counted(before, 'turn')} before are in the summary of an earlier compaction already.`;
  const what = `There is nothing to compress: the context holds ${counted(inContext, 'turn')}, and the last ${keep} stay whole.${earlier}`;
  const next =
    inContext > 1 && keep > 1 ? 'Keep fewer: --keep 1. For long turns: skein slim' : 'For long turns: skein slim';
  return new CommandError(what, file.file, next);
}
