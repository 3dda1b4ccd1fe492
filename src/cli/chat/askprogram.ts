/** `--permission-prompt-tool stdio`: the program that drives us is asked, by messages of stream-json, before a tool is used. */
import { randomUUID } from 'node:crypto';
import type { Consent } from '../../agent/gate.ts';
import type { Asked } from '../../agent/ports.ts';
import { asObject, asString, type JsonObject } from '../../format/json.ts';

export interface AskProgram {
  ask(asked: Asked, why: string): Promise<Consent>;
  /** A `control_response` that came in. */
  answer(response: JsonObject): void;
  /** Nobody will answer any more. */
  close(): void;
}

export function askProgram(write: (message: JsonObject) => void): AskProgram {
  const waiting = new Map<string, (consent: Consent) => void>();
  let isClosed = false;

  const settle = (id: string, consent: Consent) => {
    waiting.get(id)?.(consent);
    waiting.delete(id);
  };

  return {
    ask({ id: tool_use_id, tool, input, signal, agent }, why) {
      if (isClosed || signal.aborted) return Promise.resolve(GONE);
      const id = randomUUID();
      const request = {
        subtype: 'can_use_tool',
        tool_name: tool.name,
        input,
        tool_use_id,
        decision_reason: why,
        ...(agent && { agent_type: agent.type }),
      };
      return new Promise((resolve) => {
        const onAbort = () => {
          write({ type: 'control_cancel_request', request_id: id });
          settle(id, GONE);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(id, (consent) => {
          signal.removeEventListener('abort', onAbort);
          resolve(consent);
        });
        write({ type: 'control_request', request_id: id, request });
      });
    },
    answer: (response) => settle(asString(response.request_id) ?? '', consentOf(response)),
    close() {
      isClosed = true;
      for (const id of [...waiting.keys()]) settle(id, GONE);
    },
  };
}

const GONE: Consent = { deny: 'The program that decides did not answer, so it was not run.', interrupt: true };

/** Only a clear yes is one. */
function consentOf(response: JsonObject): Consent {
  const said = asObject(response.response);
  if (response.subtype === 'success' && said?.behavior === 'allow') {
    const input = asObject(said.updatedInput);
    return input === undefined ? 'once' : { input };
  }
  const deny = asString(said?.message) || asString(response.error) || 'It was denied without a word.';
  return { deny, interrupt: said?.interrupt === true };
}
