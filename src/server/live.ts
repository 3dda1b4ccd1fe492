/** One follower, many pages: events go to all of them, and a page that was away gets what it missed. */
import type { LiveEvent } from '../views/page/types.ts';

export interface Live {
  /** `lastId` is the id of the last event the page saw. */
  connect(lastId: string | undefined, signal: AbortSignal): ReadableStream<Uint8Array> | undefined;
  readonly pages: number;
  close(): void;
}

const HEARTBEAT_MS = 15_000;
/** A page that takes nothing is let go; it comes again and catches up. */
const MOST_WAITING = 1000;
const MOST_PAGES = 100;
const RETRY_MS = 1000;

interface Page {
  send(text: string): void;
  end(): void;
}

export function createLive(listen: (tell: (event: LiveEvent) => void) => () => void): Live {
  const pages = new Set<Page>();
  const changes = createChanges();
  const encoder = new TextEncoder();
  const stop = listen((event) => {
    const text = eventText(changes.add(event), event);
    for (const page of pages) page.send(text);
  });
  const timer = setInterval(() => {
    for (const page of pages) page.send(': still here\n\n');
  }, HEARTBEAT_MS);
  timer.unref();

  return {
    get pages() {
      return pages.size;
    },
    connect(lastId, signal) {
      if (pages.size >= MOST_PAGES) return undefined;
      let page: Page | undefined;
      const leave = () => {
        if (page) pages.delete(page);
        signal.removeEventListener('abort', end);
      };
      const end = () => page?.end();
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            page = {
              send(text) {
                if ((controller.desiredSize ?? 0) <= 0) this.end();
                else controller.enqueue(encoder.encode(text));
              },
              end() {
                leave();
                try {
                  controller.close();
                } catch {
                  // The page was gone before.
                }
              },
            };
            pages.add(page);
            signal.addEventListener('abort', end);
            page.send(`retry: ${RETRY_MS}\n\n`);
            const { id, events } = changes.since(lastId);
            if (events.length === 0) page.send(`id: ${id}\n: welcome\n\n`);
            for (const event of events) page.send(eventText(id, event));
          },
          cancel: leave,
        },
        { highWaterMark: MOST_WAITING },
      );
    },
    close() {
      stop();
      clearInterval(timer);
      for (const page of [...pages]) page.end();
    },
  };
}

function eventText(id: string, event: LiveEvent): string {
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** When each thing changed last: enough to tell any page what it missed, however long it was away. */
function createChanges() {
  const run = Date.now().toString(36);
  const sessions = new Map<string, number>();
  let listed = 0;
  let count = 0;
  const idNow = () => `${run}-${count}`;
  return {
    add(event: LiveEvent): string {
      count += 1;
      if (event.type === 'chats') listed = count;
      else for (const id of event.ids) sessions.set(id, count);
      return idNow();
    },
    since(lastId: string | undefined): { readonly id: string; readonly events: readonly LiveEvent[] } {
      const [, name, number] = /^(\w+)-(\d{1,15})$/.exec(lastId ?? '') ?? [];
      if (lastId === undefined) return { id: idNow(), events: [] };
      const seen = name === run ? Number(number) : 0;
      const ids = [...sessions].flatMap(([id, at]) => (at > seen ? id : []));
      const events: LiveEvent[] = ids.length > 0 ? [{ type: 'sessions', ids }] : [];
      if (listed > seen || name !== run) events.push({ type: 'chats' });
      return { id: idNow(), events };
    },
  };
}
