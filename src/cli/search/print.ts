/** What was found, for people: by chat, the words marked, and how to go there. */
import type { Hit } from '../../archive/search/hit.ts';
import type { Mask } from '../../views/options.ts';
import { safeLine } from '../../views/safe.ts';
import type { Context } from '../context.ts';
import { cut, displayWidth, shortPath } from '../layout.ts';
import { shortId } from '../shortid.ts';
import { hitLine, LABELS, textRoom } from './hitline.ts';
import { chatIdOf, openCommand, restoreCommand, resumeCommand } from './places.ts';
import type { Searched } from './run.ts';

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

const INDENT = '  ';
const LONGEST_COMMAND = 1000;
const LONGEST_PLACE = 300;

/** As much of the text as a line has room for, with dots on both sides. */
export function snippetLength({ out }: Context): number | undefined {
  return Number.isFinite(out.columns) ? Math.max(1, textRoom(out.columns, INDENT.length) - 2) : undefined;
}

export function groupLines(context: Context, { id, hits, title }: TitledGroup, mask: Mask): string[] {
  const { style, columns } = context.out;
  const [first] = hits;
  if (first === undefined) return [];
  const lines = hits.map((hit) => {
    const place = context.asTool ? safeLine(mask(placeText(hit))) : '';
    const { where, isError, time } = hit;
    const shown = { label: LABELS[where], isError, time, ...markedIn(hit, mask) };
    return `${INDENT}${hitLine(shown, { style, columns, indent: INDENT.length, now: context.now() })}${place}`;
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

/** Another text may have given a secret away since it was cut: then the marks do not fit any more. */
function markedIn({ snippet, highlights }: Hit, mask: Mask): Pick<Hit, 'snippet' | 'highlights'> {
  const now = mask(snippet);
  return { snippet: now, highlights: now === snippet ? highlights : [] };
}
