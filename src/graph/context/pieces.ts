/** The entries of the chain as pieces of the request to be: what each says, read from its payload once. */
import { rawContentOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asString, at, type JsonObject } from '../../format/json.ts';
import { type Note, notesOf, remind } from './attachment.ts';
import { isResult, isText, textBlock, usableBlocks } from './blocks.ts';
import type { OnVisit } from './node.ts';
import { withKnownTools } from './references.ts';

export interface UserPiece {
  readonly kind: 'user';
  readonly blocks: JsonObject[];
  /** The content was a string, not a list of blocks. */
  readonly plain: boolean;
  readonly part: UserPart;
}

/** What of the client's own doings a user entry records; decides whether it waits for an answer (R13). */
export type UserPart = 'prompt' | 'summary' | 'interruption' | 'caveat' | 'command' | 'output';

export interface AssistantPiece {
  readonly kind: 'assistant';
  readonly id: string | undefined;
  /** Lines of one key are lines of one message. Without an id and a request the line stands alone (R10). */
  readonly key: string | undefined;
  readonly model: string | undefined;
  readonly blocks: JsonObject[];
  readonly apiError: boolean;
}

export interface AttachmentPiece {
  readonly kind: 'attachment';
  readonly notes: readonly Note[];
  /** Stands for what the client itself puts before a new prompt. It is never sent, but decides where lines are joined (R11). */
  readonly own: boolean;
}

/** Only the output of local commands says something (R12). */
export interface SystemPiece {
  readonly kind: 'system';
  readonly text: string;
}

export type Piece = UserPiece | AssistantPiece | AttachmentPiece | SystemPiece;

export const SYNTHETIC = '<synthetic>';

export function userPiece(content: string | readonly JsonObject[]): UserPiece {
  const plain = typeof content === 'string';
  return { kind: 'user', blocks: usableBlocks('user', plain ? content : [...content]), plain, part: 'prompt' };
}

export function assistantPiece(text: string): AssistantPiece {
  return {
    kind: 'assistant',
    id: undefined,
    key: undefined,
    model: SYNTHETIC,
    blocks: [textBlock(text)],
    apiError: false,
  };
}

export function hasResult(piece: Piece): boolean {
  return piece.kind === 'user' && piece.blocks.some(isResult);
}

/** Kinds of attachments that never say anything and can be large: not worth reading. */
const SILENT: ReadonlySet<string | undefined> = new Set(['prompt_snapshot', 'command_permissions']);

/** `tools` are the names of those that are there. */
export function pieceOf(entry: Entry, onVisit: OnVisit, tools: ReadonlySet<string> | undefined): Piece | undefined {
  switch (entry.kind) {
    case 'user':
      return readUser(entry, onVisit, tools);
    case 'assistant':
      return readAssistant(entry, onVisit);
    case 'attachment':
      return {
        kind: 'attachment',
        notes: SILENT.has(entry.head.attachmentType) ? [] : notesOf(read(entry, onVisit)),
        own: false,
      };
    case 'system':
      return {
        kind: 'system',
        text: entry.head.subtype === 'local_command' ? (asString(read(entry, onVisit).content) ?? '') : '',
      };
    default:
      return undefined;
  }
}

function read(entry: Entry, onVisit: OnVisit): JsonObject {
  onVisit(entry, 'read');
  return jsonOf(entry) ?? {};
}

/** A user entry that holds nothing at all is passed over. */
function readUser(entry: Entry, onVisit: OnVisit, tools: ReadonlySet<string> | undefined): UserPiece | undefined {
  if (entry.head.contentForm === 'none') return undefined;
  const json = read(entry, onVisit);
  const content = withKnownTools(rawContentOf(json), tools);
  const blocks = usableBlocks('user', content);
  if (blocks.length === 0) return undefined;
  return {
    kind: 'user',
    blocks: at(json.origin, 'kind') === 'task-notification' ? notified(blocks) : blocks,
    plain: typeof content === 'string',
    part: partOf(entry, asString(blocks[0]?.text) ?? ''),
  };
}

function partOf(entry: Entry, text: string): UserPart {
  if (entry.head.isCompactSummary) return 'summary';
  if (entry.head.isMeta && text.startsWith('<local-command-caveat>')) return 'caveat';
  if (text.startsWith('<command-name>')) return 'command';
  if (text.startsWith('<local-command-stdout>') || text.startsWith('<local-command-stderr>')) return 'output';
  return text.startsWith('[Request interrupted by user') ? 'interruption' : 'prompt';
}

/** A background task's report comes in the user's place but is not the user speaking. */
function notified(blocks: readonly JsonObject[]): JsonObject[] {
  return blocks.map((block) => {
    const words = asString(block.text) ?? '';
    if (!isText(block) || words.trim() === '') return block;
    return { ...block, text: remind(`A background task reports this; it is not a message from the user.\n\n${words}`) };
  });
}

function readAssistant(entry: Entry, onVisit: OnVisit): AssistantPiece {
  const { message, requestId, isApiErrorMessage } = entry.head;
  const content = entry.head.contentForm === 'none' ? [] : rawContentOf(read(entry, onVisit));
  return {
    kind: 'assistant',
    id: message?.id,
    key: message?.id ?? (requestId === undefined ? undefined : ''),
    model: message?.model,
    blocks: usableBlocks('assistant', content),
    apiError: isApiErrorMessage && message?.model === SYNTHETIC,
  };
}
