/** A call as a line and what is worth showing under it. */
import type { ToolOutcome } from '../../agent/tools/tool.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import type { Hunk } from '../../graph/toolresults/files.ts';
import { type ToolResult, toToolResult } from '../../graph/toolresults/read.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import { mainArgument } from '../../views/toolview.ts';
import { tokenText } from '../../views/usage/amounts.ts';
import { changeCounts, diffLines } from './diffview.ts';
import { apart, broken, duration, fit, indented } from './lines.ts';
import type { Palette } from './palette.ts';
import type { AgentWork, Piece } from './state.ts';

/** Lines under a call; the rest opens with Ctrl-O. */
export const FEW = { diff: 24, output: 4 } as const;

/** The record of a call that the person stopped. */
const STOPPED = 'User rejected tool use';

type CallPiece = Extract<Piece, { kind: 'call' }>;

/** `● Edit src/x.ts +3 −1` */
export function callTitle(name: string, input: JsonObject, cwd: string): string {
  // How many there are is told beside it.
  const argument = name === 'TodoWrite' ? '' : mainArgument(input);
  const short = argument.startsWith(`${cwd}/`) ? argument.slice(cwd.length + 1) : argument;
  return safeLine(`${name} ${short}`).trim();
}

export function callLines(call: CallPiece, width: number, palette: Palette, cwd: string, isOpen = false): string[] {
  const { name, input, outcome, ms, agent } = call;
  if (outcome.result === STOPPED)
    return [fit(`${palette.dim('●')} ${callTitle(name, input, cwd)}  ${palette.dim('stopped')}`, width)];
  const isFailed = outcome.isError === true;
  const mark = isFailed ? palette.bad('●') : palette.good('●');
  const result = toToolResult(name, outcome.result);
  const fact = isFailed ? '' : factOf(result, outcome, agent, palette);
  const title = boldName(callTitle(name, input, cwd), palette);
  const right = ms >= 1000 ? palette.dim(duration(ms)) : '';
  const room = width - (right === '' ? 0 : 9) - (fact === '' ? 0 : 18);
  const line = apart(`${mark} ${fit(title, Math.max(20, room))}${fact === '' ? '' : `  ${fact}`}`, right, width);
  const most = isOpen ? Number.POSITIVE_INFINITY : undefined;
  return [line, ...indented(underLines(result, call, width - 4, palette, most), '  ')];
}

function boldName(title: string, { bold }: Palette): string {
  const at = title.indexOf(' ');
  return at < 0 ? bold(title) : `${bold(title.slice(0, at))}${title.slice(at)}`;
}

export function agentFacts({ calls, tokens }: AgentWork): string {
  return [`${calls} ${calls === 1 ? 'call' : 'calls'}`, ...(tokens > 0 ? [`${tokenText(tokens)} tokens`] : [])].join(
    ' · ',
  );
}

/** What came back, in a word or two. */
function factOf(result: ToolResult, outcome: ToolOutcome, agent: AgentWork | undefined, palette: Palette): string {
  const { dim } = palette;
  if (agent !== undefined) return dim(`${safeLine(agent.type)} · ${agentFacts(agent)}`);
  switch (result.kind) {
    case 'edit':
    case 'write': {
      const { added, removed } = changeCounts(hunksOf(result));
      if (added + removed === 0 && result.kind === 'write') return dim(many(linesIn(result.content ?? ''), 'line'));
      return `${palette.added(`+${added}`)} ${palette.removed(`−${removed}`)}`;
    }
    case 'read':
      return dim(result.numLines === undefined ? result.media : many(result.numLines, 'line'));
    case 'glob':
      return dim(many(result.filenames.length, 'file'));
    case 'grep':
      return dim(
        result.content === undefined ? many(result.filenames.length, 'file') : many(linesIn(result.content), 'line'),
      );
    case 'todo':
      return dim(
        `${result.newTodos.filter(({ status }) => status === 'completed').length} of ${result.newTodos.length} done`,
      );
    case 'bash':
      return '';
    default: {
      const text = textOf(outcome);
      return linesIn(text) > 1 ? dim(many(linesIn(text), 'line')) : '';
    }
  }
}

function underLines(result: ToolResult, call: CallPiece, width: number, palette: Palette, most?: number): string[] {
  const { outcome } = call;
  if (outcome.isError === true) return shortened(textOf(outcome), width, most ?? FEW.output, palette, palette.bad);
  if (result.kind === 'edit' || result.kind === 'write') {
    const hunks = hunksOf(result);
    if (hunks.length > 0) return diffLines(hunks, width, most ?? FEW.diff, palette);
    return most === undefined ? [] : broken(result.kind === 'write' ? (result.content ?? '') : '', width);
  }
  if (result.kind === 'bash') return shortened(textOf(outcome), width, most ?? FEW.output, palette, palette.dim);
  return most === undefined ? [] : broken(textOf(outcome), width);
}

function hunksOf(result: Extract<ToolResult, { kind: 'edit' | 'write' }>): readonly Hunk[] {
  return result.patch;
}

/** The last lines, where it ends; of an error the first ones, where it says what. */
function shortened(
  text: string,
  width: number,
  most: number,
  palette: Palette,
  paint: (text: string) => string,
): string[] {
  const lines = safeText(text.replace(/<\/?tool_use_error>/g, ''))
    .trimEnd()
    .split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  const bar = palette.dim('│ ');
  const show = (line: string) => bar + paint(fit(safeLine(line), width - 2));
  if (lines.length <= most) return lines.map(show);
  const left = palette.dim(`… ${lines.length - most + 1} lines more (Ctrl-O)`);
  return [bar + left, ...lines.slice(-(most - 1)).map(show)];
}

export function textOf({ content }: ToolOutcome): string {
  return typeof content === 'string' ? content : content.map((block) => asString(block.text) ?? '').join('\n');
}

function linesIn(text: string): number {
  return text.trimEnd() === '' ? 0 : text.trimEnd().split('\n').length;
}

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
