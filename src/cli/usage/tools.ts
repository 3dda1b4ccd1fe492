/** `--by tool` */
import { DiskError } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { createProject } from '../../disk/project.ts';
import { readEntriesOf } from '../../disk/read.ts';
import type { Entry } from '../../format/entry.ts';
import { millisOf } from '../../graph/time.ts';
import { pairToolCalls, tellsOfTools } from '../../graph/toolcalls.ts';
import type { ToolCall } from '../../graph/types.ts';
import { tokenText } from '../../views/usage/amounts.ts';
import { NOTHING } from '../../views/usage/facts.ts';
import { createToolFold, type ToolReport, type ToolRow } from '../../views/usage/tools.ts';
import { wrapProse } from '../../views/wrap.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { jsonText } from '../jsontext.ts';
import { type Column, table } from '../layout.ts';
import { reportProblems } from '../library.ts';
import { openMask } from '../mask.ts';
import { progressOf } from '../progress.ts';
import { chooseFiles } from './choose.ts';
import { type Question, questionOf } from './question.ts';

export async function reportTools(context: Context, args: Arguments): Promise<number> {
  const question = questionOf(context, { ...args, values: (name) => (name === 'by' ? [] : args.values(name)) });
  const isTeam = args.value('team') !== undefined;
  const found = isTeam
    ? await (await import('./teamtools.ts')).toolsOfTeam(context, args, question)
    : await fromFiles(context, args, question);
  const mask = await openMask(context, args);
  const report = { ...found, rows: found.rows.map((row) => ({ ...row, tool: mask(row.tool) })) };
  if (args.flag('json')) {
    const engine = isTeam ? 'team' : 'files';
    context.out.write(`${jsonText({ engine, by: ['tool'], ...toJson(report) })}\n`);
  } else if (report.rows.length === 0) context.err.write('No tool calls were found.\n');
  else print(context, report);
  return report.rows.length > 0 ? 0 : 1;
}

async function fromFiles(context: Context, args: Arguments, { wanted }: Question): Promise<ToolReport> {
  const { files } = await chooseFiles(context, args);
  const fold = createToolFold();
  const progress = progressOf(context, 'reading', files);
  for (const file of files) {
    const { calls, project } = callsOf(context, file);
    for (const call of calls) fold.add(call, wanted(placeOf(call, file, project)));
    progress.done(file);
  }
  progress.clear();
  return fold.report();
}

/** The filters of messages, asked of a call. */
function placeOf({ use, started }: ToolCall, { file }: SessionFile, project: string) {
  const { message, gitBranch = '' } = use.head;
  return {
    ...NOTHING,
    time: millisOf(started),
    model: message?.model ?? '',
    project,
    gitBranch,
    file,
    agentId: '',
  };
}

interface Calls {
  readonly calls: readonly ToolCall[];
  /** Of the file: a session that wanders into other folders stays of its own. */
  readonly project: string;
}

function callsOf(context: Context, { file, slug }: SessionFile): Calls {
  const project = createProject(slug);
  try {
    const { calls } = pairToolCalls([...withTools(readEntriesOf(file), project)]);
    return { calls, project: project.project().path };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    reportProblems(context, [{ kind: 'unreadable', what: error.what, where: error.where, next: error.next }]);
    return { calls: [], project: slug };
  }
}

/** What pairing looks at; of the rest only the folders it was in. */
function* withTools(entries: Iterable<Entry>, project: ReturnType<typeof createProject>): Generator<Entry> {
  for (const entry of entries) {
    project.see(entry.head.cwd);
    if (entry.kind === 'user' || (entry.kind === 'assistant' && tellsOfTools(entry))) yield entry;
  }
}

function toJson({ totals, rows }: ToolReport) {
  return { totals, rows: rows.map(({ tool, ...sums }) => ({ key: { tool }, ...sums })) };
}

function print({ out }: Context, { totals, rows }: ToolReport): void {
  const all: ToolRow[] = rows.length > 1 ? [...rows, { ...totals, tool: 'total' }] : [...rows];
  const number = (title: string, cell: (row: ToolRow) => string, drop: number): Column<ToolRow> => ({
    title,
    cell,
    align: 'right',
    drop,
  });
  const some = (value: number) => (value === 0 ? '' : String(value));
  const columns: Column<ToolRow>[] = [
    { title: 'TOOL', cell: ({ tool }) => tool, drop: 0, flexible: true },
    number('CALLS', ({ calls }) => String(calls), 0),
    number('FAILED', ({ failures }) => some(failures), 0),
    number('FAILED %', ({ calls, failures }) => ((failures / calls) * 100).toFixed(1), 4),
    number('DENIED', ({ denied }) => some(denied), 5),
    number('STOPPED', ({ interrupted }) => some(interrupted), 7),
    number('TIME', ({ durationMs }) => duration(durationMs), 1),
    number('EACH', ({ durationMs, timed }) => (timed > 0 ? duration(durationMs / timed) : ''), 3),
    number('RESULTS', ({ resultCharacters }) => `${tokenText(resultCharacters)}`, 2),
    number('LARGEST', ({ largestResult }) => tokenText(largestResult), 6),
  ];
  for (const line of table(all, columns, out.columns, out.style.dim)) out.write(`${line}\n`);
  for (const line of wrapProse('results in characters of text the model was given', out.columns))
    out.write(`${out.style.dim(line)}\n`);
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
