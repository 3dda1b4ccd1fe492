/** What was found, for people: by chat, the words marked, and how to go there. */
import type { Hit } from '../../archive/search/hit.ts';
import { safeLine } from '../../views/safe.ts';
import type { Context } from '../context.ts';
import { ago, cut, cutPainted, displayWidth, pad, shortPath } from '../layout.ts';
import type { Style } from '../terminal.ts';
import { chatIdOf, openCommand, restoreCommand, resumeCommand } from './places.ts';
import type { Searched } from './run.ts';

export const LABELS: Readonly<Record<Hit['where'], string>> = {
  prompt: 'prompt',
  answer: 'answer',
  thinking: 'thinking',
  tool_input: 'call',
  tool_result: 'result',
  title: 'title',
  summary: 'summary',
  note: 'note',
  damaged: 'damaged',
};
const LABEL_WIDTH = 8;

export interface Group {
  readonly id: string;
  readonly hits: readonly Hit[];
}

/** In the order of the best hit of each. */
export function byChat({ hits, chats }: Searched): Group[] {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const id = chatIdOf(hit, chats);
    const group = groups.get(id);
    if (group) group.push(hit);
    else groups.set(id, [hit]);
  }
  return [...groups].map(([id, found]) => ({ id, hits: found }));
}

const WHEN_WIDTH = 10;
/** What stands before a snippet. */
const MARGIN = 2 + LABEL_WIDTH + 1 + WHEN_WIDTH + 1;
const LEAST_SNIPPET = 30;

/** As much of the text as a line has room for. */
export function snippetLength({ out }: Context): number | undefined {
  return Number.isFinite(out.columns) ? Math.max(LEAST_SNIPPET, out.columns - MARGIN) : undefined;
}

export function groupLines(
  context: Context,
  { id, hits }: Group,
  title: string | undefined,
  mask: (text: string) => string,
): string[] {
  const { style, columns } = context.out;
  const [first] = hits;
  if (first === undefined) return [];
  const lines = hits.map((hit) => {
    const label = pad(LABELS[hit.where], LABEL_WIDTH);
    const when = style.dim(pad(ago(hit.time, context.now()), WHEN_WIDTH));
    const line = `  ${hit.isError ? style.bad(label) : style.accent(label)} ${when} ${painted(hit, style)}`;
    return cutPainted(line, columns);
  });
  // Commands are never cut: they are there to be copied.
  const commands = [openCommand(first, true), resumeCommand(first) ?? restoreCommand(first)].filter(
    (each) => each !== undefined,
  );
  return [
    heading(context, first, title ?? `chat ${id.slice(0, 8)}`, mask),
    ...lines,
    ...commands.map((each) => `  ${style.dim(safeLine(mask(each)))}`),
  ];
}

function heading({ out }: Context, { cwd }: Hit, title: string, mask: (text: string) => string): string {
  const project = cwd === undefined ? '' : cut(safeLine(shortPath(mask(cwd))), Math.floor(out.columns / 3));
  const room = out.columns - (project === '' ? 0 : displayWidth(project) + 2);
  const name = out.style.bold(cut(safeLine(mask(title)), room));
  return project === '' ? name : `${name}  ${out.style.dim(project)}`;
}

function painted({ snippet, highlights }: Hit, style: Style): string {
  let at = 0;
  let text = '';
  for (const { start, end } of highlights) {
    text += `${safeLine(snippet.slice(at, start))}${style.warn(style.bold(safeLine(snippet.slice(start, end))))}`;
    at = end;
  }
  return text + safeLine(snippet.slice(at));
}
