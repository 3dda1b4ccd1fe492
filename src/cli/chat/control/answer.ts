/** Answers one request of the program, by the table of handlers. */
import { asString, type JsonObject } from '../../../format/json.ts';
import type { InputMessage } from '../input.ts';
import { HANDLERS, type Host } from './handlers.ts';
import { Refusal } from './refusal.ts';

export interface Asking {
  readonly host: Host;
  write(message: JsonObject): void;
  /** Requests whose answers nobody wants any more. */
  readonly cancelled: Set<string>;
}

type Control = Extract<InputMessage, { kind: 'control' }>;

/** What takes no time is done when it returns, so that a prompt that follows finds it done. */
export function answerTo({ id, request }: Control, { host, write, cancelled }: Asking): void {
  const reply = (response: JsonObject) => {
    if (!cancelled.delete(id)) write({ type: 'control_response', response: { ...response, request_id: id } });
  };
  const done = (response: JsonObject | undefined) => reply({ subtype: 'success', ...(response && { response }) });
  const failed = (error: unknown) => reply(errorOf(error));
  try {
    const made = perform(request, host);
    if (made instanceof Promise) made.then(done, failed);
    else done(made);
  } catch (error) {
    failed(error);
  }
}

function perform(request: JsonObject, host: Host): JsonObject | undefined | Promise<JsonObject | undefined> {
  const subtype = asString(request.subtype);
  const handler = HANDLERS.get(subtype ?? '');
  if (handler !== undefined) return handler(request, host);
  throw new Refusal(`Unsupported control request subtype: ${subtype}`, 'unsupported_request');
}

function errorOf(error: unknown): JsonObject {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Refusal ? error.code : undefined;
  return { subtype: 'error', error: message, ...(code !== undefined && { error_code: code }) };
}
