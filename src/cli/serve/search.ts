/** The search of the page: as `skein search --json`, with the titles of the chats. */
import { asArray, asString, isObject, type JsonObject } from '../../format/json.ts';
import type { SearchAsk } from '../../server/questions.ts';
import type { Arguments } from '../command.ts';
import { queryOf } from '../commands/search.ts';
import type { Context } from '../context.ts';
import { searchJson } from '../search/json.ts';
import { searchLibrary, searchStore } from '../search/run.ts';
import type { Catalog } from './catalog.ts';
import type { Children } from './children.ts';

export interface Searching {
  readonly context: Context;
  readonly args: Arguments;
  readonly catalog: Catalog;
  readonly children: Children;
}

/** So much is read here and now; where there is more and no index can tell, another process does. */
const MOST_READ = 8e6;

export async function searchFor(
  { context, args, catalog, children }: Searching,
  { query: text, limit, offset, sort, mask, signal }: SearchAsk,
): Promise<object> {
  const query = queryOf(context, text, false);
  const request = { query, sort, offset, limit, now: context.now(), mask } as const;
  const bytes = catalog.library?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
  const found =
    (await searchStore(context, args, request)) ??
    (bytes <= MOST_READ ? await searchLibrary(context, args, request, false) : undefined);
  const json = found
    ? searchJson(found, { offset, limit })
    : await inAnotherProcess(children, { text, limit, offset, sort, signal });
  return { ...json, hits: hitsIn(json).map((hit) => withChat(hit, catalog)) };
}

/** The verb has pages: what begins within one is cut from a longer one. */
async function inAnotherProcess(
  children: Children,
  { text, limit, offset, sort, signal }: Omit<SearchAsk, 'mask' | 'query'> & { readonly text: string },
): Promise<object> {
  const isPage = offset % limit === 0;
  const size = isPage ? limit : offset + limit;
  const argv = ['search', `--sort=${sort}`, `--limit=${size}`, `--page=${isPage ? offset / limit + 1 : 1}`];
  const json = await children.json(argv, { rest: [text], signal });
  return isPage ? json : { ...json, offset, limit, hits: hitsIn(json).slice(offset) };
}

function hitsIn(json: object): JsonObject[] {
  return 'hits' in json && Array.isArray(json.hits) ? (asArray(json.hits) ?? []).filter(isObject) : [];
}

/** The list knows which chat a session is of, also where there is no index. */
function withChat(hit: JsonObject, catalog: Catalog): JsonObject {
  const chat = catalog.chatOf(asString(hit.session) ?? '') ?? catalog.find(asString(hit.chat) ?? '');
  return { ...hit, chat: chat?.id ?? hit.chat, title: chat?.title ?? null, project: chat?.project ?? null };
}
