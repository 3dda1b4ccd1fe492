/** A turn on its way: what its parts share. */
import type { Json, JsonObject } from '../../format/json.ts';
import { createMeter, type Meter } from '../compact/meter.ts';
import type { HookAnswer, LoopEvent, LoopParts, TurnEnd } from '../ports.ts';
import type { Follow, Tool } from '../tools/tool.ts';
import { type Check, createCheck } from './check.ts';
import { addOther, createTally, type Tally } from './tally.ts';

export interface Turn extends LoopParts {
  readonly signal: AbortSignal;
  readonly tally: Tally;
  readonly denials: TurnEnd['denials'][number][];
  readonly check: Check;
  readonly meter: Meter;
  /** What the person asked for in it, word by word, and the entries of that. */
  readonly asked: { readonly words: string[]; readonly uuids: string[] };
  /** Whether room was made, or tried to be, as the API said that it is too long. */
  overflowed: boolean;
  /** Making room went wrong: not tried again in this turn. */
  isCrowded: boolean;
  /** The prompt was taken. */
  isBegun: boolean;
  /** The words of the last answer. */
  text: string;
  /** A hook wants it to end, for this reason; or a tool ended it, with these words. */
  stopped?: string;
  /** What that tool was given. */
  output?: Json;
}

/** They go on from turn to turn, as long as the transcript is the same. */
const kept = new WeakMap<LoopParts['transcript'], { readonly check: Check; readonly meter: Meter }>();

export function beginTurn(parts: LoopParts, signal: AbortSignal): Turn {
  const { check, meter } = kept.get(parts.transcript) ?? {
    check: createCheck(),
    meter: createMeter(parts.transcript.usage),
  };
  kept.set(parts.transcript, { check, meter });
  const emit = (event: LoopEvent): void => parts.emit(event);
  const tally = createTally(parts.within);
  for (const other of parts.carried ?? []) addOther(tally, other);
  const state = { asked: { words: [], uuids: [] }, overflowed: false, isCrowded: false, isBegun: false, text: '' };
  return { ...parts, emit, signal, tally, denials: [], check, meter, ...state };
}

/** A tool has had two names (R15). */
export function toolNamed({ tools }: Pick<Turn, 'tools'>, name: string): Tool | undefined {
  return tools.get(name) ?? (name === 'Task' ? tools.get('Agent') : undefined);
}

/** Tells of a line that was written. */
export function wrote(turn: Pick<Turn, 'emit'>, entry: JsonObject): JsonObject {
  const event: LoopEvent = { kind: 'entry', entry };
  turn.emit(event);
  return entry;
}

const NOTHING: HookAnswer = {};

/** Runs the hooks of an event and writes what they leave. */
export async function runHooks(turn: Turn, event: string, fields: JsonObject): Promise<HookAnswer> {
  if (turn.hooks === undefined) return NOTHING;
  const answer = await turn.hooks.run(event, fields, turn.signal);
  if (answer.stop !== undefined) turn.stopped ??= answer.stop;
  return answer;
}

/** Apart from running them, as what they leave belongs after the line they are about. */
export function writeHooks(turn: Turn, event: string, answer: HookAnswer, toolUseID?: string): void {
  for (const entry of answer.entries ?? []) wrote(turn, turn.transcript.entry(entry));
  const content = answer.context ?? [];
  if (content.length === 0) return;
  const about = { hookName: event, hookEvent: event, ...(toolUseID !== undefined && { toolUseID }) };
  const told = `<system-reminder>\n${event} hook additional context: ${content.join('\n')}\n</system-reminder>`;
  const attachment = { type: 'hook_additional_context', content: [...content], ...about };
  wrote(turn, turn.transcript.attachment(attachment, [told]));
}

/** What belongs to a line that was just written. */
export function writeFollow(turn: Turn, follow: readonly Follow[] = []): void {
  for (const each of follow) {
    if (each.kind === 'attachment') wrote(turn, turn.transcript.attachment(each.attachment, each.rendered));
    else {
      const { content, sourceToolUseID } = each;
      const options = { source: 'sdk', permissionMode: turn.gate.mode, isMeta: true } as const;
      const given = sourceToolUseID === undefined ? {} : { sourceToolUseID };
      wrote(turn, turn.transcript.prompt(content, { ...options, ...given }));
    }
  }
}
