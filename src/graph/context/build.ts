/**
 * R10, R11: pieces become messages. Consecutive users are joined, results first; the lines of one message id are joined over
 * results and other messages, but not over what the person typed; calls come last in a message, unless it thought between them.
 */
import { asArray, asString, isObject, type JsonObject } from '../../format/json.ts';
import { type Note, unwrapped } from './attachment.ts';
import { isBlank, isResult, isSigned, isText, isThinking, NO_CONTENT, textBlock } from './blocks.ts';
import { sameModel } from './model.ts';
import { addLine, type BlockOrder, inOrder, newOrder } from './order.ts';
import { type AssistantPiece, type AttachmentPiece, hasResult, type Piece } from './pieces.ts';

/** A user message in the making. Kept apart so that joining costs what is added, not what is there. */
interface UserDraft {
  readonly role: 'user';
  readonly results: Answer[];
  /** What a model that takes system turns is told in them; here it stands before the person's words. */
  readonly reminders: JsonObject[];
  readonly rest: JsonObject[];
  /** One entry whose content is a string. */
  plain: boolean;
}
interface Answer {
  readonly block: JsonObject;
  readonly notes: JsonObject[];
}
interface AssistantDraft {
  readonly role: 'assistant';
  readonly blocks: BlockOrder;
  lostThinking: boolean;
}
type Draft = UserDraft | AssistantDraft;

export interface Built {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
  readonly plain: boolean;
  /** Thinking that stood in it will not be sent. */
  readonly lostThinking: boolean;
}

export interface Target {
  /** Thinking of another model is not sent (R15). */
  readonly model: string | undefined;
  /** The model takes system turns, so reminders are not worked into results. */
  readonly systemTurns: boolean;
}

/** Marks where the client's own attachments would stand; never sent. */
const MARK: JsonObject = { type: 'text', text: '' };

export function buildMessages(pieces: readonly Piece[], target: Target): Built[] {
  const drafts: Draft[] = [];
  const told: JsonObject[] = [];
  // The newest message of each id since the last user message without results: joining never looks further back.
  const byId = new Map<string, AssistantDraft>();
  for (const piece of raiseAttachments(pieces)) {
    if (piece.kind === 'user') addUser(drafts, piece.blocks, piece.plain);
    else if (piece.kind === 'system') {
      if (piece.text !== '') addUser(drafts, [textBlock(piece.text)], false);
    } else if (piece.kind === 'attachment') addAttachment(drafts, piece, target, told);
    else if (!piece.apiError) {
      // Reminders among the lines of one message come after it.
      if (drafts.at(-1)?.role === 'user' || !byId.has(piece.key ?? '')) tellReminders(drafts, told);
      addAssistant(drafts, byId, piece, target);
    }
  }
  tellReminders(drafts, told);
  return drafts.map(finish);
}

/** R15: attachments go up before the user text of their message, to right after the last answer or result. */
export function raiseAttachments(pieces: readonly Piece[]): Piece[] {
  const raised: Piece[] = [];
  let waiting: Piece[] = [];
  for (let i = pieces.length - 1; i >= 0; i -= 1) {
    const piece = pieces[i];
    if (piece === undefined) continue;
    if (piece.kind === 'attachment') {
      waiting.push(piece);
      continue;
    }
    if (piece.kind === 'assistant' || hasResult(piece)) {
      for (const attachment of waiting) raised.push(attachment);
      waiting = [];
    }
    raised.push(piece);
  }
  for (const attachment of waiting) raised.push(attachment);
  return raised.reverse();
}

function addUser(drafts: Draft[], blocks: readonly JsonObject[], plain: boolean): void {
  const last = drafts.at(-1);
  if (last?.role !== 'user') {
    const draft = newUser(drafts, plain);
    for (const block of blocks) place(draft, block);
    return;
  }
  last.plain = false;
  // R11: a line break where the text of one entry meets that of the next.
  if (isText(last.rest.at(-1)) && isText(blocks[0])) breakLine(last.rest);
  for (const block of blocks) place(last, block);
}

function newUser(drafts: Draft[], plain: boolean): UserDraft {
  const draft: UserDraft = { role: 'user', results: [], reminders: [], rest: [], plain };
  drafts.push(draft);
  return draft;
}

function place(draft: UserDraft, block: JsonObject): void {
  if (isResult(block)) draft.results.push({ block, notes: [] });
  else draft.rest.push(block);
}

function breakLine(blocks: JsonObject[]): void {
  const last = blocks.pop();
  if (last !== undefined) blocks.push(last === MARK ? MARK : { ...last, text: `${asString(last.text) ?? ''}\n` });
}

function addAttachment(drafts: Draft[], piece: AttachmentPiece, target: Target, told: JsonObject[]): void {
  if (piece.own) {
    addNote(drafts, [MARK], true);
    return;
  }
  const joins = drafts.at(-1)?.role === 'user';
  for (const note of piece.notes) {
    if (target.systemTurns && note.voice === 'system') append(told, note.blocks);
    else if (target.systemTurns && note.voice === 'person') addWords(drafts, unwrapped(note.blocks));
    else addNote(drafts, note.blocks, joins);
  }
}

/** After an answer each part of an attachment is a message of its own; after a result it becomes part of the result. */
function addNote(drafts: Draft[], blocks: Note['blocks'], joins: boolean): void {
  const last = drafts.at(-1);
  if (last?.role !== 'user' || !joins) {
    append(newUser(drafts, false).rest, blocks);
    return;
  }
  last.plain = false;
  const answer = last.rest.length === 0 ? last.results.at(-1) : undefined;
  if (answer !== undefined && blocks.every(isText)) append(answer.notes, blocks);
  else append(last.rest, blocks);
}

function addWords(drafts: Draft[], blocks: readonly JsonObject[]): void {
  const last = drafts.at(-1);
  const draft = last?.role === 'user' ? last : newUser(drafts, false);
  draft.plain = false;
  append(draft.rest, blocks);
}

function tellReminders(drafts: Draft[], told: JsonObject[]): void {
  if (told.length === 0) return;
  const last = drafts.at(-1);
  const draft = last?.role === 'user' ? last : newUser(drafts, false);
  draft.plain = false;
  append(draft.reminders, told.splice(0));
}

function addAssistant(drafts: Draft[], byId: Map<string, AssistantDraft>, piece: AssistantPiece, target: Target): void {
  const last = drafts.at(-1);
  if (last?.role === 'user' && last.results.length === 0) byId.clear();
  let draft = piece.key === undefined ? undefined : byId.get(piece.key);
  if (draft === undefined) {
    draft = { role: 'assistant', blocks: newOrder(), lostThinking: false };
    if (piece.key !== undefined) byId.set(piece.key, draft);
    drafts.push(draft);
  }
  const foreign = target.model !== undefined && !sameModel(piece.model, target.model);
  const isLost = (block: JsonObject) => isThinking(block) && (foreign || !isSigned(block));
  if (piece.blocks.some(isLost)) draft.lostThinking = true;
  addLine(draft.blocks, foreign ? piece.blocks.filter((block) => !isThinking(block)) : piece.blocks, isLost);
}

function finish(draft: Draft): Built {
  if (draft.role === 'assistant') {
    return { role: 'assistant', content: inOrder(draft.blocks), plain: false, lostThinking: draft.lostThinking };
  }
  const rest = draft.rest.filter((block) => block !== MARK);
  const content = [...draft.results.map(withNotes), ...draft.reminders, ...rest];
  return { role: 'user', content, plain: draft.plain && content.length === 1, lostThinking: false };
}

/** A result with the notes that came beside it. Where they are all that it says, they need no stand-in. */
function withNotes({ block, notes }: Answer): JsonObject {
  const said = notes.filter((note) => !isBlank(note));
  if (said.length === 0) return block;
  const parts = block.content === NO_CONTENT ? [] : asArray(block.content);
  if (parts === undefined) {
    const texts = [block.content, ...said.map((note) => note.text)].map((text) => (asString(text) ?? '').trim());
    return { ...block, content: texts.filter((text) => text !== '').join('\n\n') };
  }
  const content = parts.filter(isObject);
  for (const note of said) {
    if (isText(content.at(-1))) breakLine(content);
    content.push(note);
  }
  return { ...block, content };
}

/** A spread argument list has a limit; these lists have none. */
function append(list: JsonObject[], blocks: readonly JsonObject[]): void {
  for (const block of blocks) list.push(block);
}
