/** What context() takes and gives. */
import type { JsonObject } from '../../format/json.ts';
import type { OnVisit } from './node.ts';

/** A message as the Messages API takes it: plain JSON. The blocks are those of the file, unless a rule says otherwise. */
export type ApiMessage = {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
};

export interface ContextOptions {
  /** What the person says next. Without it the history is given as it stands, which may end in any message. */
  readonly prompt?: string | readonly JsonObject[];
  /** The model that will be asked; by default the one that gave the last answer (R15). */
  readonly model?: string;
  /** Names of the tools that the request will hold; without them no result may name one. */
  readonly tools?: readonly string[];
  readonly onVisit?: OnVisit;
}

export interface Context {
  readonly messages: ApiMessage[];
  /** The model that the messages were made for, where one is known. */
  readonly model: string | undefined;
  /** The uuid of the entry that a new prompt hangs on. */
  readonly leaf: string | undefined;
  /** R13: calls whose outcome is unknown and which were given an error result. The client appends these to the file. */
  readonly openCalls: readonly string[];
  /** R13: "No response requested." was put before the prompt. The client appends it to the file. */
  readonly noResponse: boolean;
}
