/** A model that answers each conversation by a list of its own: they run side by side, in whatever order. */
import { asString, type Json } from '../../../src/format/json.ts';
import { fails, type Reply, type Script, type ScriptedRequest } from '../../support/scripted-model.ts';

type Step = Reply | ((request: ScriptedRequest) => Reply | Promise<Reply>);

/** By how the first message that was said begins. */
export function byPrompt(lists: Readonly<Record<string, readonly Step[]>>): Script {
  const asked = new Map<string, number>();
  return (request) => {
    const said = firstWords(request);
    const name = Object.keys(lists).find((start) => said.startsWith(start));
    const index = asked.get(name ?? '') ?? 0;
    asked.set(name ?? '', index + 1);
    const step = lists[name ?? '']?.[index];
    if (step === undefined) return fails(400, { message: `nothing to say to "${said.slice(0, 40)}" (${index})` });
    return typeof step === 'function' ? step(request) : step;
  };
}

export function firstWords({ messages }: Pick<ScriptedRequest, 'messages'>): string {
  const texts = (messages[0]?.content ?? []).map((block) => asString(block.text as Json) ?? '');
  return texts.find((text) => text !== '' && !text.startsWith('<system-reminder>')) ?? '';
}

export const named = (start: string) => (request: ScriptedRequest) => firstWords(request).startsWith(start);
