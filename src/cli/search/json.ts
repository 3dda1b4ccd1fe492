/** `skein search --json`, as docs/schema/search.schema.json says. */
import type { Hit } from '../../archive/search/hit.ts';
import { chatIdOf, openCommand, resumeCommand } from './places.ts';
import type { Searched } from './run.ts';

export function searchJson(found: Searched, { offset, limit }: { offset: number; limit: number }) {
  const { total, hits, engine, scanned } = found;
  return { total, offset, limit, engine, scanned, hits: hits.map((hit) => hitJson(hit, found)) };
}

function hitJson(hit: Hit, { chats }: Searched) {
  return {
    uuid: hit.uuid ?? null,
    chat: chatIdOf(hit, chats),
    session: hit.session ?? null,
    agent: hit.agent ?? null,
    role: hit.role,
    where: hit.where,
    tool: hit.tool ?? null,
    error: hit.isError,
    snippet: hit.snippet,
    highlights: hit.highlights.map(({ start, end }) => [start, end]),
    time: hit.time ?? null,
    file: hit.file,
    cwd: hit.cwd ?? null,
    open: openCommand(hit, false) ?? null,
    resume: resumeCommand(hit) ?? null,
  };
}
