/** Prompts that wait for their turn, and how far those are that the program gave a name. */
import type { Agent } from '../../../agent/agenttypes.ts';
import type { LoopEvent } from '../../../agent/ports.ts';
import { asObject, asString } from '../../../format/json.ts';
import type { Prompt } from '../input.ts';
import type { Tell } from './tell.ts';

export interface Prompts {
  /** While a turn runs it is told to the model in it, where that is still possible. */
  take(prompt: Prompt, uuid: string | undefined, agent: Agent, isRunning: boolean): void;
  next(agent: Agent): NextPrompt | undefined;
  /** Takes one back; false where it does not wait any more. */
  withdraw(uuid: string, agent: Agent): boolean;
  /** The names of those that wait. */
  names(agent: Agent): string[];
  /** How many wait. */
  count(agent: Agent): number;
  /** Told of everything that happens: what was sent while the model was busy is told to it at some time. */
  saw(event: LoopEvent): void;
  /** Those that were told to the model since it was last asked. */
  takeTold(): string[];
}

export interface NextPrompt {
  readonly content: Prompt;
  readonly isNotice: boolean;
  readonly uuid?: string;
}

export function createPrompts(tell: Tell): Prompts {
  const waiting: { readonly content: Prompt; readonly uuid?: string }[] = [];
  const named = new Set<string>();
  let told: string[] = [];
  /** Without the names that are ours. */
  const given = (uuid: string | undefined) => (uuid !== undefined && named.has(uuid) ? { uuid } : {});
  return {
    take(content, uuid, agent, isRunning) {
      if (uuid !== undefined) {
        // Sent twice is said once.
        if (named.has(uuid)) return;
        named.add(uuid);
        tell.prompt(uuid, 'queued');
      }
      if (isRunning) agent.queue(content, uuid);
      else waiting.push({ content, ...given(uuid) });
    },
    next(agent) {
      const first = waiting.shift() ?? agent.unqueue();
      if (first === undefined) return undefined;
      return { content: first.content, isNotice: 'isNotice' in first && first.isNotice === true, ...given(first.uuid) };
    },
    withdraw(uuid, agent) {
      const at = waiting.findIndex((each) => each.uuid === uuid);
      if (at >= 0) waiting.splice(at, 1);
      else if (!agent.withdraw(uuid)) return false;
      tell.prompt(uuid, 'cancelled');
      return true;
    },
    names: (agent) => {
      const all = [...waiting.map(({ uuid }) => uuid), ...agent.waiting()];
      return all.flatMap((uuid) => given(uuid).uuid ?? []);
    },
    count: (agent) => waiting.length + agent.waiting().length,
    saw(event) {
      const { uuid } = given(toldIn(event));
      if (uuid === undefined) return;
      told.push(uuid);
      tell.prompt(uuid, 'started');
    },
    takeTold() {
      const taken = told;
      told = [];
      return taken;
    },
  };
}

/** It stands in an attachment, with its name. */
function toldIn(event: LoopEvent): string | undefined {
  const attachment = event.kind === 'entry' ? asObject(event.entry.attachment) : undefined;
  return attachment?.type === 'queued_command' ? asString(attachment.source_uuid) : undefined;
}
