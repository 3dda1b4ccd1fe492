/** A Messages API on loopback that says "ok", refuses what the real one refuses (A), and remembers what it was sent. */
import { asArray, asNumber, type JsonObject } from '../../src/format/json.ts';
import { messagesRefused } from '../support/messages-api.ts';
import { type Script, type ScriptedRequest, says, startScriptedModel } from '../support/scripted-model.ts';

export type Request = Pick<ScriptedRequest, 'body' | 'messages' | 'refused'>;

export interface Api {
  readonly url: string;
  /** Requests for a turn, in order; probes, titles and the like are answered and left out. */
  readonly turns: Request[];
  close(): Promise<void>;
}

/** What it says can be scripted (replies.ts). */
export async function startApi(script: Script = () => says('ok')): Promise<Api> {
  const { url, requests, close } = await startScriptedModel(script, { isTurn, refuse: messagesRefused });
  return { url, turns: requests, close };
}

/** Side requests have no tools, or ask for one token. */
function isTurn(body: JsonObject): boolean {
  return (asNumber(body.max_tokens) ?? 0) > 1 && (asArray(body.tools)?.length ?? 0) > 0;
}
