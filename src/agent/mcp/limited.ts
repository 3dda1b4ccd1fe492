/** What comes over HTTP is kept in memory until it is whole: no more than a process may say in one line. And a stream that ends owes an answer. */
import { asObject, parseJson } from '../../format/json.ts';
import { MOST_LINE_BYTES } from './stdio.ts';

/** Told of a request whose stream is over, answered or not. */
type Over = (id: string | number, why: string) => void;

export function limitedFetch(over: Over): (input: string | URL, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    const id = isStream ? asked(init) : undefined;
    const counted = limited(isStream, (why) => id !== undefined && over(id, why));
    return new Response(body.pipeThrough(counted), { status, statusText, headers });
  };
}

function asked(init: RequestInit | undefined): string | number | undefined {
  const body = init?.body;
  const { id } = asObject(parseJson(typeof body === 'string' ? body : '')) ?? {};
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Lines of a stream are counted one by one: it may go on for ever. */
function limited(isStream: boolean, over: (why: string) => void): TransformStream<Bytes, Bytes> {
  let size = 0;
  let canGoOn = false;
  const end = (why: string) => {
    // With an id the client asks for the rest itself; what came last is on its way.
    if (!canGoOn) setTimeout(() => over(why), 50);
  };
  const transformer = {
    transform: (chunk: Bytes, controller: TransformStreamDefaultController<Bytes>) => {
      const at = isStream ? chunk.lastIndexOf(10) : -1;
      size = at < 0 ? size + chunk.length : chunk.length - at - 1;
      canGoOn ||= isStream && /(?:^|\n)id:/.test(Buffer.from(chunk).toString('latin1'));
      if (size <= MOST_LINE_BYTES) return controller.enqueue(chunk);
      const why = `it sent more than ${MOST_LINE_BYTES / 1024 / 1024} MB in one message`;
      end(why);
      controller.error(new Error(why));
    },
    flush: () => end('it ended the connection without an answer'),
    cancel: () => end('the connection was closed without an answer'),
  };
  return new TransformStream(transformer);
}
