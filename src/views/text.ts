/** A chat for the terminal. */
import { textOfCall } from '../graph/toolcalls.ts';
import { promptTextOf } from '../graph/turns.ts';
import type { ToolCall, ToolStatus, Turn } from '../graph/types.ts';
import { agentFacts, type Item, itemsOf } from './items.ts';
import { maskedItem, maskedView } from './masked.ts';
import { type AgentView, humanDuration, humanSize, type Mask, type Paint, type ViewOptions } from './options.ts';
import { safeLine, safeText } from './safe.ts';
import { firstLine, type Part, toolView } from './toolview.ts';
import { wrapProse } from './wrap.ts';

const RULE = 88;
const LONGEST_ARGUMENT = 100;

export function turnText(turn: Turn, options: ViewOptions, paint: Paint): string {
  const lines = [
    turnHeading(turn, options, paint),
    ...itemsOf(turn).flatMap((item) => itemLines(item, options, paint)),
  ];
  if (turn.state === 'open' && turn.number > 0) lines.push(paint.warn('… not finished'));
  return `${lines.join('\n').trimEnd()}\n`;
}

function turnHeading(turn: Turn, { width = RULE }: ViewOptions, paint: Paint): string {
  const facts = [
    turn.number === 0 ? 'before the first prompt' : `turn ${turn.number}`,
    turn.started?.slice(0, 16).replace('T', ' ') ?? '',
    humanDuration(turn.durationMs),
    turn.round === 'new_round' ? '' : turn.round.replace('_', ' '),
  ];
  const head = `── ${facts.filter((fact) => fact !== '').join(' · ')} `;
  const state = turn.state === 'interrupted' ? 'interrupted ' : '';
  const rule = '─'.repeat(Math.max(2, Math.min(width, RULE) - head.length - state.length));
  return `${paint.dim(head)}${paint.warn(state)}${paint.dim(rule)}`;
}

function itemLines(given: Item, options: ViewOptions, paint: Paint): string[] {
  const item = maskedItem(given, options.mask);
  switch (item.type) {
    case 'prompt':
      return [
        ...item.context.map(({ tag, text }) => paint.dim(`[${tag}] ${safeLine(firstLine(text))}`)),
        ...wrapProse(safeText(item.text), options.width && options.width - 2).map((line) => paint.bold(`> ${line}`)),
        '',
      ];
    case 'text':
      return [...wrapProse(safeText(item.text).trimEnd(), options.width), ''];
    case 'thinking':
      if (!options.thinking) return [paint.dim(`✻ thinking (${humanSize(item.text.length)})`)];
      return safeText(item.text)
        .split('\n')
        .map((line) => paint.dim(`✻ ${line}`));
    case 'api_error':
      return [paint.bad(`✗ API error: ${safeText(item.text)}`), ''];
    case 'note':
      return noteLines(safeLine(item.label), item.text, paint);
    case 'call':
      return options.tools === 'none' ? [] : callLines(item.call, options, paint);
  }
}

function noteLines(label: string, text: string, paint: Paint): string[] {
  const clean = safeText(text);
  if (label === 'context compacted') return [paint.accent(`── ${label} ${clean} ${'─'.repeat(20)}`), ''];
  if (label === 'summary') return [paint.dim(`[summary, ${humanSize(clean.length)}] ${firstLine(clean)}`), ''];
  const [first = '', ...rest] = clean.split('\n');
  const mark = label === 'interrupted' ? paint.warn(`■ ${label}`) : paint.dim(`[${label}]`);
  return [`${mark} ${label === 'interrupted' ? '' : first}`.trimEnd(), ...rest.map((line) => `  ${line}`)];
}

const MARKS: Record<ToolStatus, string> = {
  ok: '●',
  error: '✗',
  denied: '⊘',
  interrupted: '■',
  pending: '○',
  background: '◐',
};

function callLines(call: ToolCall, options: ViewOptions, paint: Paint): string[] {
  const view = maskedView(toolView(call, options.resolve), options.mask);
  const painted = {
    ok: paint.good,
    error: paint.bad,
    denied: paint.warn,
    interrupted: paint.warn,
    pending: paint.dim,
    background: paint.accent,
  }[call.status];
  const argument = safeLine(view.argument);
  const short = argument.length > LONGEST_ARGUMENT ? `${argument.slice(0, LONGEST_ARGUMENT)}…` : argument;
  const facts = [call.status === 'ok' ? '' : call.status, humanDuration(view.durationMs), humanSize(view.size)];
  const lines = [
    `${painted(MARKS[call.status])} ${paint.bold(safeLine(view.name))} ${short} ${paint.dim(facts.filter((fact) => fact !== '').join(' · '))}`,
  ];
  if (options.tools === 'full') lines.push(...indent(view.parts.flatMap((part) => partLines(part, paint))));
  else if (call.status === 'error' || call.status === 'denied') {
    const text = textOfCall(call, options.resolve) ?? '';
    lines.push(`  ${paint.dim(safeLine(firstLine(options.mask?.(text) ?? text)))}`);
  }
  const agent = options.agentOf?.(call);
  if (agent) lines.push(...agentLines(agent, options, paint));
  return lines;
}

function agentLines(agent: AgentView, options: ViewOptions, paint: Paint): string[] {
  const name = agent.type ?? agent.agentId;
  const title = `↳ agent ${safeLine(options.mask?.(name) ?? name)}: ${agentFacts(agent)}`;
  if (options.tools !== 'full') return [`  ${paint.accent(title)}`];
  return indent([
    paint.accent(title),
    ...agent.turns.flatMap((turn) => itemsOf(turn).flatMap((item) => itemLines(item, options, paint))),
  ]);
}

function partLines(part: Part, paint: Paint): string[] {
  switch (part.type) {
    case 'command': {
      const command =
        part.command === ''
          ? []
          : safeText(part.command)
              .split('\n')
              .map((line) => paint.accent(`$ ${line}`));
      return [...command, ...outputLines(part.stdout), ...outputLines(part.stderr).map(paint.warn)];
    }
    case 'diff':
      return part.hunks.flatMap((hunk) => [
        paint.dim(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@ ${safeLine(part.path)}`),
        ...hunk.lines.map((line) => diffLine(safeLine(line), paint)),
      ]);
    case 'code':
      return safeText(part.text)
        .split('\n')
        .map((line, i) => `${paint.dim(String((part.startLine ?? 1) + i).padStart(5))} ${line}`);
    case 'todos':
      return part.todos.map(
        ({ content, status }) =>
          `${status === 'completed' ? '☑' : status === 'in_progress' ? '▣' : '☐'} ${safeLine(content)}`,
      );
    case 'files':
      return part.files.map(safeLine);
    case 'links':
      return part.links.map(
        ({ title, url }) => `${title === '' ? '' : `${safeLine(title)} `}${paint.dim(safeLine(url))}`,
      );
    case 'answers':
      return part.answers.flatMap(({ question, answer }) => [
        `? ${safeLine(question)}`,
        `  ${paint.bold(safeLine(answer))}`,
      ]);
    case 'image':
      return [paint.dim(`[image ${safeLine(part.mediaType ?? '')}]`)];
    case 'json':
      return safeText(JSON.stringify(part.value, null, 2)).split('\n');
    case 'text':
      return outputLines(part.text);
  }
}

function diffLine(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint.good(line);
  return line.startsWith('-') ? paint.bad(line) : line;
}

function outputLines(text: string): string[] {
  const clean = safeText(text).trimEnd();
  return clean === '' ? [] : clean.split('\n');
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`.trimEnd());
}

/** The first words of a turn, for lists of turns; masked before they are cut off: a secret may go on in the second line. */
export function turnTitle(turn: Turn, mask: Mask): string {
  return safeLine(firstLine(mask(promptTextOf(turn))));
}
