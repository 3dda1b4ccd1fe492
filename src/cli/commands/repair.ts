/** `skein repair`: what bricks or truncates a session, found and mended. */
import { draftOf } from '../../edit/draft.ts';
import type { Note } from '../../edit/log.ts';
import { type RepairOptions, repair as repairEntries } from '../../edit/repair/repair.ts';
import { safeLine } from '../../views/safe.ts';
import type { Arguments, Command } from '../command.ts';
import type { Context } from '../context.ts';
import { EDIT_OPTIONS, IN_PLACE_OPTION } from '../edit/options.ts';
import { printWritten } from '../edit/print.ts';
import { type EditSource, openSource } from '../edit/source.ts';
import { writeEdit } from '../edit/write.ts';
import { titleFor } from '../slim/title.ts';
import { sayUnchanged } from '../slim/unchanged.ts';

export const repair: Command = {
  name: 'repair',
  usage: 'SEL [--no-rejoin] [--no-thinking]',
  summary: 'a session that the client refuses or cuts short, mended',
  details: [
    'Finds what makes the API refuse a session for good, or a resume lose part of it, and writes a new session without it: calls and results that do not pair or stand apart, ids used twice, empty blocks, thinking that is unsigned or was changed, tool names that are too long, parents that are missing, null in the middle or lead in a circle, lines that are torn, run together or not JSON, pins that hold a resume back, entries without uuid, time or type. Says for each line what was wrong. All that can be kept is kept.',
    'Before the new file shows, it is checked that the API takes what a resume of it sends. When nothing is wrong it says so and writes nothing.',
    'A prompt without a parent in the middle is joined to what stands before it, since every client hides that. If it was typed after a rewind to the start, use --no-rejoin. Whether a signature fits its thinking cannot be told from the file: where the last answer is an API error about thinking all of it goes, and --no-thinking does the same.',
  ],
  options: {
    'no-rejoin': { type: 'boolean', help: 'Leave prompts without a parent as the start of what follows them' },
    'no-thinking': { type: 'boolean', help: 'Leave all thinking out, for a session whose signatures the API refuses' },
    title: {
      type: 'string',
      value: 'TITLE',
      help: 'The title of the copy (default: that of the original with "(repaired)")',
    },
    ...IN_PLACE_OPTION,
    ...EDIT_OPTIONS,
  },
  examples: [
    ['skein repair @last --dry-run', 'what is wrong, line by line'],
    ['skein repair 4f0c', 'a copy that resumes'],
    ['skein repair 4f0c --in-place', 'the session itself, with a backup'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const source = openSource(context, args);
  const options = {
    rejoin: !args.flag('no-rejoin'),
    thinking: args.flag('no-thinking') ? ('drop' as const) : ('auto' as const),
  };
  const findings = findingsIn(source, options);
  if (findings.length === 0) {
    return sayUnchanged(context, args, source, 'Nothing to repair: the client takes it as it is.', {
      after: { findings: 0 },
    });
  }
  const title = titleFor(args, source.title, 'repaired');
  const written = writeEdit(context, args, {
    verb: 'repair',
    source,
    make: (target) => {
      const repaired = repairEntries(source.entries, { ...options, freshUuid: target.freshUuid });
      const notes = args.flag('json') ? repaired.findings : [];
      return draftOf({ ...repaired, notes }, { ...target, title, lastPrompt: source.outline.lastPrompt });
    },
    allAgents: true,
    title,
  });
  await printWritten(context, args, written, {
    did: 'Repaired',
    title,
    after: { findings: findings.length },
    lines: findings.map(tellFinding),
  });
  return 0;
}

/** Names are not looked at, so that any will do. */
function findingsIn({ entries }: EditSource, options: Omit<RepairOptions, 'freshUuid'>): readonly Note[] {
  let count = 0;
  const freshUuid = () => {
    count += 1;
    return `new-${count}`;
  };
  return repairEntries(entries, { ...options, freshUuid }).findings;
}

function tellFinding({ rule, what, line }: Note): string {
  return `${line === undefined ? '' : `line ${line}: `}${safeLine(what)} (${rule})`;
}
