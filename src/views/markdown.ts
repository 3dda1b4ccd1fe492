/** A chat as Markdown that renders anywhere. */
import type { ToolCall, Turn } from '../graph/types.ts';
import { agentFacts, type Item, itemsOf } from './items.ts';
import { maskedItem, maskedView } from './masked.ts';
import { type AgentView, humanDuration, humanSize, type ViewOptions } from './options.ts';
import { safeLine, safeText } from './safe.ts';
import { nestedMarkdown } from './safemarkdown.ts';
import { type Part, toolView } from './toolview.ts';

export function turnMarkdown(turn: Turn, options: ViewOptions): string {
  const title = turn.number === 0 ? 'Before the first prompt' : `Turn ${turn.number}`;
  const facts = [
    turn.started?.slice(0, 16).replace('T', ' '),
    humanDuration(turn.durationMs),
    turn.state === 'complete' ? '' : turn.state,
  ];
  const blocks = [`## ${title}`, `*${facts.filter((fact) => fact !== undefined && fact !== '').join(' · ')}*`];
  blocks.push(...itemsOf(turn).flatMap((item) => itemBlocks(item, options)));
  return `${blocks.filter((block) => block !== '' && block !== '**').join('\n\n')}\n`;
}

function itemBlocks(given: Item, options: ViewOptions): string[] {
  const item = maskedItem(given, options.mask);
  switch (item.type) {
    case 'prompt':
      return [quote(safeText(item.text))];
    case 'text':
      return [nestedMarkdown(safeText(item.text).trim())];
    case 'thinking':
      return options.thinking
        ? [`<details><summary>Thinking</summary>\n\n${fence(safeText(item.text), 'text')}\n\n</details>`]
        : [];
    case 'api_error':
      return [`**API error:** ${escapeInline(safeLine(item.text))}`];
    case 'note':
      return noteBlocks(safeLine(item.label), safeText(item.text));
    case 'call':
      return options.tools === 'none' ? [] : callBlocks(item.call, options);
  }
}

function noteBlocks(label: string, text: string): string[] {
  if (label === 'context compacted') return ['---', `*context compacted: ${text}*`];
  if (label === 'summary')
    return [`<details><summary>Summary of what was before</summary>\n\n${fence(text, 'text')}\n\n</details>`];
  const name = `*${escapeInline(label)}*`;
  return text.includes('\n') ? [name, fence(text, 'text')] : [`${name} ${escapeInline(text)}`.trim()];
}

function callBlocks(call: ToolCall, options: ViewOptions): string[] {
  const view = maskedView(toolView(call, options.resolve), options.mask);
  const argument = safeLine(view.argument);
  const shown = argument.length > 120 ? `${argument.slice(0, 120)}…` : argument;
  const facts = [call.status, humanDuration(view.durationMs), humanSize(view.size)].filter((fact) => fact !== '');
  const line = `- **${escapeInline(safeLine(view.name))}** ${shown === '' ? '' : code(shown)} (${facts.join(', ')})`;
  const agent = options.agentOf?.(call);
  const nested = agent ? agentBlocks(agent, options) : [];
  if (options.tools !== 'full') return [[line, ...nested.map((block) => indent(block))].join('\n')];
  return [
    [line, ...view.parts.map(partBlock), ...nested].map((block, i) => (i === 0 ? block : indent(block))).join('\n\n'),
  ];
}

function agentBlocks(agent: AgentView, options: ViewOptions): string[] {
  const name = agent.type ?? agent.agentId;
  const title = `agent ${escapeInline(safeLine(options.mask?.(name) ?? name))}: ${agentFacts(agent)}`;
  if (options.tools !== 'full') return [`- *${title}*`];
  const inner = agent.turns.flatMap((turn) => itemsOf(turn).flatMap((item) => itemBlocks(item, options)));
  return [`*${title}*`, ...inner];
}

function partBlock(part: Part): string {
  switch (part.type) {
    case 'command':
      return fence(
        [part.command === '' ? '' : `$ ${part.command}`, part.stdout, part.stderr]
          .filter((text) => text !== '')
          .map(safeText)
          .join('\n'),
        'console',
      );
    case 'diff':
      return fence(
        part.hunks
          .flatMap((hunk) => [
            `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
            ...hunk.lines.map(safeText),
          ])
          .join('\n'),
        'diff',
      );
    case 'code':
      return fence(safeText(part.text), languageOf(part.path));
    case 'todos':
      return part.todos
        .map(({ content, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${escapeInline(safeLine(content))}`)
        .join('\n');
    case 'files':
      return part.files.map((file) => `- ${code(safeLine(file))}`).join('\n');
    case 'links':
      return part.links
        .map(({ title, url }) => `- ${title === '' ? '' : `${escapeInline(safeLine(title))} `}${code(safeLine(url))}`)
        .join('\n');
    case 'answers':
      return part.answers
        .map(({ question, answer }) => `- ${escapeInline(safeLine(question))} **${escapeInline(safeLine(answer))}**`)
        .join('\n');
    case 'image':
      return `*image ${escapeInline(safeLine(part.mediaType ?? ''))}*`;
    case 'json':
      return fence(safeText(JSON.stringify(part.value, null, 2)), 'json');
    case 'text':
      return fence(safeText(part.text).trimEnd(), 'text');
  }
}

function languageOf(path: string | undefined): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path ?? '')?.[1];
  return extension?.toLowerCase() ?? 'text';
}

/** A fence longer than any run of backticks inside, so that no text can end it. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${text}\n${mark}`;
}

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const mark = '`'.repeat(longest + 1);
  return longest > 0 ? `${mark} ${text} ${mark}` : `${mark}${text}${mark}`;
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function indent(block: string): string {
  return block
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
}

/** The one-line places: nothing in a transcript becomes markup there. */
function escapeInline(text: string): string {
  return text.replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
