/** What a rewriting verb says when it is done. */
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { cut, homePath } from '../layout.ts';
import { type Masking, openMask } from '../mask.ts';
import type { Written } from './write.ts';

/** `extra` goes into `before` and `after` of the JSON; `lines` are shown between what was done and how to resume. */
export interface Said {
  /** "Cloned", "Slimmed". */
  readonly did: string;
  readonly title?: string;
  readonly before?: object;
  readonly after?: object;
  readonly lines?: readonly string[];
}

export async function printWritten(context: Context, args: Arguments, written: Written, said: Said): Promise<void> {
  const mask = await openMask(context, args);
  if (args.flag('json')) context.out.write(`${mask.json(toJson(written, said))}\n`);
  else printText(context, mask, written, said);
}

const TITLE_WIDTH = 60;

function toJson(written: Written, said: Said): object {
  const { sessionId, file, before, after, notes, resume, dryRun, inPlace, backup } = written;
  return {
    sessionId,
    file,
    title: said.title ?? null,
    before: { ...before, ...said.before },
    after: { ...after, ...said.after },
    notes,
    resume,
    dryRun,
    inPlace,
    backup: backup ?? null,
  };
}

function printText({ out, err, home }: Context, mask: Masking, written: Written, said: Said): void {
  const { before, after, notes, dryRun, inPlace, backup } = written;
  const what = dryRun ? `Would be ${said.did.toLowerCase()}` : said.did;
  const title = said.title === undefined ? '' : ` "${cut(safeLine(mask(said.title)), TITLE_WIDTH)}"`;
  out.write(`${out.style.good(what)}${title}: ${size(after)}, before ${size(before)}\n`);
  const with_ = [
    [after.agents, 'sub-agent'],
    [after.toolResults, 'large output'],
    [after.checkpoints, 'checkpoint'],
  ].flatMap(([count, word]) => (Number(count) > 0 ? counted(Number(count), String(word)) : []));
  if (with_.length > 0) out.write(`with ${with_.join(', ')}\n`);
  for (const line of said.lines ?? []) out.write(`${mask(line)}\n`);
  for (const line of noteLines(notes)) err.write(`${err.style.dim(line)}\n`);
  if (dryRun) return;
  out.write(`${out.style.dim(safeLine(homePath(written.file, home)))}\n`);
  if (inPlace && backup !== undefined) {
    out.write(`backup: ${out.style.dim(homePath(backup, home))} (take it back: skein undo)\n`);
  } else if (inPlace) out.write('Nothing in it changes: it stays as it is.\n');
  out.write(`resume: ${out.style.bold(written.resume)}\n`);
}

/** The same note on many lines is said once. */
function noteLines(notes: Written['notes']): string[] {
  const groups = Map.groupBy(notes, ({ rule, what }) => `${rule} ${what}`);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const where = first.line === undefined ? '' : ` line ${first.line}${more}`;
    return safeLine(`${first.rule}${where}: ${first.what}`);
  });
}

function size({ lines, turns, bytes }: Written['before']): string {
  return `${lines} lines, ${counted(turns, 'turn')}, ${humanBytes(bytes)}`;
}
