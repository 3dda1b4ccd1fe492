/** Results by chat, the matched words marked in their context. */
import type { SearchHit } from '../app/answers.ts';
import { hrefOf } from '../app/router.ts';
import { Masked } from '../list/Masked.tsx';
import { shortNames } from '../list/rows.ts';
import { ago } from '../list/when.ts';
import { fullTime } from '../parts/clock.ts';
import { hrefOfHit } from './trail.ts';
import { byChat, type Found } from './useSearch.ts';

const PLACES: Readonly<Record<string, string>> = { tool_input: 'call', tool_result: 'result' };

export interface HitsProps {
  readonly found: Found;
  readonly sort: string;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

export function Hits({ found, sort, onKeyDown }: HitsProps) {
  const now = Date.now();
  const folders = shortNames([...new Set(found.hits.flatMap(({ cwd }) => cwd ?? []))]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links in it
    <div class="hits" onKeyDown={onKeyDown}>
      {byChat(found.hits).map(({ chat, hits }) => (
        <section key={chat} class="hit-group">
          <h2 class="hit-chat">
            <a href={hrefOf({ page: 'chat', id: chat })} dir="auto">
              <Masked text={hits[0]?.title ?? `Chat ${chat.slice(0, 8)}`} />
            </a>
            <span class="small quiet" title={hits[0]?.cwd ?? undefined}>
              {folders.get(hits[0]?.cwd ?? '') ?? ''}
            </span>
          </h2>
          <ul>
            {hits.map((hit, index) => (
              <li key={`${hit.uuid} ${hit.where} ${index}`}>
                <Hit hit={hit} href={hrefOfHit(hit, found.query, sort)} now={now} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Hit({ hit, href, now }: { readonly hit: SearchHit; readonly href: string; readonly now: number }) {
  const label = hit.tool ?? PLACES[hit.where] ?? hit.where;
  return (
    <a class="hit" href={href} data-error={hit.error || undefined}>
      <span class="hit-where" title={hit.tool === null ? undefined : (PLACES[hit.where] ?? hit.where)}>
        {label}
        {hit.error && <span class="visually-hidden"> failed</span>}
      </span>
      <span class="hit-text" dir="auto">
        <Marked text={hit.snippet} places={hit.highlights} />
      </span>
      <time class="hit-when number" dateTime={hit.time ?? undefined} title={fullTime(hit.time)}>
        {ago(hit.time, now)}
      </time>
    </a>
  );
}

function Marked({ text, places }: { readonly text: string; readonly places: SearchHit['highlights'] }) {
  const parts = [];
  let at = 0;
  for (const [start, end] of places) {
    parts.push(
      <Masked key={`before ${start}`} text={text.slice(at, start)} />,
      <mark key={start}>
        <Masked text={text.slice(start, end)} />
      </mark>,
    );
    at = end;
  }
  return (
    <>
      {parts}
      <Masked text={text.slice(at)} />
    </>
  );
}
