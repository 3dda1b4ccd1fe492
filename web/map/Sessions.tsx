/** The files a chat is made of, and how they follow from one another. */
import type { ChatPage } from '../../src/views/page/types.ts';
import { dayOf, humanSize } from '../parts/clock.ts';
import { counted } from '../usage/amounts.ts';

const SOURCES: Readonly<Record<string, string>> = { archive: 'archive only', history: 'from the history of prompts' };

export function Sessions({ page }: { readonly page: ChatPage }) {
  const { sessions, edges } = page;
  return (
    <section class="map-sessions">
      <h3>{sessions.length === 1 ? 'Session' : `${sessions.length} sessions`}</h3>
      <ul>
        {sessions.map(({ id, file, bytes, turns, superseded, source, started }) => (
          <li key={id}>
            <p class="map-session">
              <code title={file}>{id.slice(0, 8)}</code>
              <span class="small quiet number">
                {dayOf(started)} · {counted(turns, 'turn')} · {humanSize(bytes)}
              </span>
              {superseded && <span class="chip">copied into a later one</span>}
              {SOURCES[source] && <span class="chip">{SOURCES[source]}</span>}
            </p>
            {edges
              .filter(({ to }) => to === id)
              .map(({ from, kind, why, sure }) => (
                <p key={from} class="small quiet map-edge" title={why}>
                  {kind} of <code>{from.slice(0, 8)}</code>
                  {sure !== 'certain' && ` (${sure})`}
                </p>
              ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
