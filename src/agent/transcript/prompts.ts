/** Lines of what is said to the model: by a person or a program, by the background, and to an agent by whoever called it. */
import { asString, type Json, type JsonObject } from '../../format/json.ts';
import type { PromptOptions, Queued } from '../ports.ts';
import { attachmentShape, type Shape, userShape } from './shapes.ts';

/** `before`: how many prompts there were. */
export function promptShape(content: Json, promptId: string, prompt: PromptOptions, before: number): Shape {
  const typed = prompt.source === 'typed';
  // E10: a command that was called says less of itself.
  const isCommand = prompt.typed !== undefined;
  return {
    before: userShape(content, promptId),
    after: {
      ...(!isCommand && { permissionMode: prompt.permissionMode }),
      ...(typed && !isCommand && { origin: { kind: 'human' } }),
      ...(!isCommand && { promptSource: prompt.source }),
      turnOrigin: typed ? 'human' : 'sdk',
      ...(prompt.source === 'notice' && NOTICE),
      turnPosition: { promptIndex: typed ? before + 1 : 0, turnIndex: before + 1 },
    },
  };
}

/** Said by us within a turn. */
export function metaShape(content: Json, promptId: string, { sourceToolUseID }: PromptOptions): Shape {
  const after = sourceToolUseID === undefined ? {} : { sourceToolUseID };
  return { before: userShape(content, promptId, { isMeta: true, turnCompanion: true }), after };
}

const BACKGROUND = { kind: 'task-notification', producer: 'session-task' };

/** Nobody said it: something in the background is done. */
const NOTICE: JsonObject = { origin: BACKGROUND, promptSource: 'system', turnOrigin: 'task_notification' };

export function queuedShape({ content, uuid, typed, isNotice }: Queued, deliveryId: string): Shape {
  const told = typeof content === 'string' ? content : [...content];
  const attachment = {
    type: 'queued_command',
    prompt: told,
    source_uuid: uuid,
    delivery_id: deliveryId,
    commandMode: isNotice ? 'task-notification' : 'prompt',
    origin: isNotice ? BACKGROUND : { kind: 'human' },
    ...(!isNotice && { timestamp: typed, humanTurn: true }),
  };
  const rendered = typeof told === 'string' ? besideResults(told, isNotice === true) : told;
  return attachmentShape(attachment, [rendered], 'system');
}

/** What an agent says must not pass for what the user wants. */
function besideResults(told: string, isNotice: boolean): string {
  const who = isNotice
    ? 'Something in the background is done. Nobody typed this: the user has said and agreed to nothing by it'
    : 'The user sent this while you were working';
  return `<system-reminder>\n${who}:\n${told}\n\nTake it into account as you go on.\n</system-reminder>`;
}

const COORDINATOR = { kind: 'coordinator' };

/** What a sub-agent is told comes from the model that called it: nobody's prompt. */
export function agentPromptShape(content: Json, promptId: string, isMessage: boolean): Shape {
  if (!isMessage) return { before: userShape(content, promptId) };
  return { before: userShape(content, promptId, { isMeta: true }), after: { origin: COORDINATOR } };
}

/** The same while it works. */
export function messageShape({ content, uuid }: Queued): Shape {
  const told = typeof content === 'string' ? content : [...content];
  const attachment = { type: 'queued_command', prompt: told, source_uuid: uuid, origin: COORDINATOR, isMeta: true };
  const rendered = typeof told === 'string' ? `<system-reminder>\n${messageText(told)}\n</system-reminder>` : told;
  return attachmentShape(attachment, [rendered], 'system');
}

/** The client's words (E7). */
export function messageText(message: string): string {
  return `The coordinator sent a message while you were working:\n${message}\n\nAddress this before completing your current task.`;
}

export function wordsOf(content: string | readonly JsonObject[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => asString(block.text) ?? []).join('\n');
}
