/** What is sent: the body of a request, from what the loop asks for. */
import type { JsonObject } from '../../format/json.ts';
import type { ApiMessage } from '../../graph/context/types.ts';
import type { ModelRequest } from '../ports.ts';
import { markLast, markMessages } from './caching.ts';
import { factsOf, modelId } from './models.ts';

export type Asked = Omit<ModelRequest, 'signal'>;

/** The API takes no smaller budget. */
const LEAST_THINKING = 1024;
/** What is left for the answer itself. */
const LEAST_ANSWER = 1024;

export interface BodyOptions {
  /** Ask the API to keep what it read (default). */
  readonly caching?: boolean;
}

/** A body whose messages are kept apart, so that those sent before need not be written anew (encode.ts). */
export type Body = JsonObject & { readonly messages: ApiMessage[] };

export function bodyOf(asked: Asked, options: BodyOptions = {}): Body {
  return { ...promptOf(asked, options), ...limitsOf(asked), stream: true };
}

/** For counting: all that is read, nothing of what is to be said. */
export function countBodyOf(asked: Asked): Body {
  const { thinking } = limitsOf(asked);
  return { ...promptOf(asked, { caching: false }), ...(thinking !== undefined && { thinking }) };
}

function promptOf({ model, system, tools, messages }: Asked, { caching = true }: BodyOptions): Body {
  const marked = (blocks: readonly JsonObject[]): JsonObject[] => (caching ? markLast(blocks) : [...blocks]);
  const words = system.filter((text) => text !== '').map((text) => ({ type: 'text', text }));
  return {
    model: modelId(model),
    ...(words.length > 0 && { system: marked(words) }),
    ...(tools.length > 0 && { tools: marked(tools) }),
    messages: markMessages(messages, caching ? undefined : 0),
  };
}

function limitsOf({ model, maxTokens, thinking }: Asked): { max_tokens: number; thinking?: JsonObject } {
  const facts = factsOf(model);
  if (thinking === undefined) return { max_tokens: maxTokens };
  // Newer models give only a signature unless they are asked for words.
  if (facts.thinking === 'adaptive') {
    return { max_tokens: maxTokens, thinking: { type: 'adaptive', display: 'summarized' } };
  }
  const most = Math.max(maxTokens, facts.maxOutput) - LEAST_ANSWER;
  const budget = Math.max(LEAST_THINKING, Math.min(thinking, most));
  return {
    max_tokens: Math.max(maxTokens, budget + LEAST_ANSWER),
    thinking: { type: 'enabled', budget_tokens: budget },
  };
}

/**
 * The same for another model, which cannot check what this one thought (R15). A tool loop that is open would have to begin with
 * thinking (A6), so none is asked for until it is closed.
 */
export function askedOf(asked: Asked, model: string): Asked {
  const messages = asked.messages.flatMap(withoutThinking);
  const open = asked.messages.at(-1)?.content.some(({ type }) => type === 'tool_result') ?? false;
  const { thinking, ...rest } = asked;
  const maxTokens = Math.min(asked.maxTokens, factsOf(model).maxOutput);
  return { ...rest, model, messages, maxTokens, ...(thinking !== undefined && !open && { thinking }) };
}

function withoutThinking(message: ApiMessage): ApiMessage[] {
  const content = message.content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  if (content.length === message.content.length) return [message];
  return content.length === 0 ? [] : [{ role: message.role, content }];
}
