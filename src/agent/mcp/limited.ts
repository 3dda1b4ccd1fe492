/** What comes over HTTP is kept in memory until it is whole: no more than a process may say in one line. */
import { MOST_LINE_BYTES } from './stdio.ts';

/** The body fails when a message is longer than that; a stream of events may go on for ever. */
export async function limitedFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  return new Response(body.pipeThrough(counted(isStream, MOST_LINE_BYTES)), { status, statusText, headers });
}

/** Lines of a stream are counted one by one. */
function counted(isStream: boolean, most: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      const end = isStream ? chunk.lastIndexOf(10) : -1;
      size = end < 0 ? size + chunk.length : chunk.length - end - 1;
      if (size > most) controller.error(new Error(`it sent more than ${most / 1024 / 1024} MB in one message`));
      else controller.enqueue(chunk);
    },
  });
}
