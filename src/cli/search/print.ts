/** What was found, for people: by chat, the words marked, and how to go there. */
import type { Hit } from '../../archive/search/hit.ts';
import type { Mask } from '../../views/options.ts';
import { safeLine } from '../../views/safe.ts';
import type { Context } from '../context.ts';
import { ago, cut, cutPainted, displayWidth, pad, shortPath } from '../layout.ts';
import { shortId } from '../shortid.ts';
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

export interface TitledGroup extends Group {
  readonly title: string | undefined;
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
const LONGEST_COMMAND = 1000;
const LONGEST_PLACE = 300;

/** As much of the text as a line has room for. */
export function snippetLength({ out }: Context): number | undefined {
  return Number.isFinite(out.columns) ? Math.max(LEAST_SNIPPET, out.columns - MARGIN) : undefined;
}

export function groupLines(context: Context, { id, hits, title }: TitledGroup, mask: Mask): string[] {
  const { style, columns } = context.out;
  const [first] = hits;
  if (first === undefined) return [];
  const lines = hits.map((hit) => {
    const label = pad(LABELS[hit.where], LABEL_WIDTH);
    const when = style.dim(pad(ago(hit.time, context.now()), WHEN_WIDTH));
    const place = context.asTool ? safeLine(mask(placeText(hit))) : '';
    const line = `  ${hit.isError ? style.bad(label) : style.accent(label)} ${when} ${painted(hit, mask, style)}`;
    return `${cutPainted(line, columns)}${place}`;
  });
  // Commands are never cut: they are there to be copied, if anyone would.
  const commands = (context.asTool ? [] : [openCommand(first, true), resumeCommand(first) ?? restoreCommand(first)])
    .filter((each) => each !== undefined)
    .filter(({ length }) => length <= LONGEST_COMMAND);
  return [
    heading(context, first, title ?? `chat ${shortId(id)}`, mask),
    ...lines,
    ...commands.map((each) => `  ${style.dim(safeLine(mask(each)))}`),
  ];
}

/** What read_chat takes to read the turn of a hit. What the transcript lost since cannot be read in it. */
function placeText({ agent, session, uuid, version }: Hit): string {
  const id = agent ?? session;
  if (id === undefined) return '';
  const lost = version === undefined ? '' : ', lost since';
  // Whoever reads this pays for each character.
  if (id.length + (uuid?.length ?? 0) > LONGEST_PLACE) return '';
  return `  [chat ${shortId(id)}${uuid === undefined ? '' : ` turn ${shortId(uuid)}`}${lost}]`;
}

function heading({ out }: Context, { cwd }: Hit, title: string, mask: Mask): string {
  const project = cwd === undefined ? '' : cut(safeLine(shortPath(mask(cwd))), Math.floor(out.columns / 3));
  const room = out.columns - (project === '' ? 0 : displayWidth(project) + 2);
  const name = out.style.bold(cut(safeLine(mask(title)), room));
  return project === '' ? name : `${name}  ${out.style.dim(project)}`;
}

function painted({ snippet, highlights }: Hit, mask: Mask, style: Style): string {
  // Another text may have given a secret away since it was cut: then the marks do not fit any more.
  const now = mask(snippet);
  if (now !== snippet) return safeLine(now);
  let at = 0;
  let text = '';
  for (const { start, end } of highlights) {
    text += `${safeLine(snippet.slice(at, start))}${style.warn(style.bold(safeLine(snippet.slice(start, end))))}`;
    at = end;
  }
  return text + safeLine(snippet.slice(at));
}
