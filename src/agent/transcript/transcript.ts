/** One session being written: every line of a turn in today's form, in one chain (W1–W5). */
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { AppendOptions } from '../../disk/append.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import { boundaryShape, droppedBefore, summaryShape } from '../compact/shapes.ts';
import type { PromptOptions, Transcript } from '../ports.ts';
import { createConversation } from './conversation.ts';
import { copySession } from './copy.ts';
import { chainEntry } from './envelope.ts';
import { gitBranchOf } from './gitbranch.ts';
import { type OpenedFile, readLastPart } from './opened.ts';
import { createThrottle } from './progress.ts';
import { agentPromptShape, messageShape, metaShape, promptShape, queuedShape, wordsOf } from './prompts.ts';
import {
  apiErrorShape,
  attachmentShape,
  blockShape,
  INTERRUPTED,
  INTERRUPTED_TOOL,
  noResponseShape,
  resultShape,
  type Shape,
  UNKNOWN,
  userShape,
} from './shapes.ts';
import { addSpent } from './totals.ts';
import { createUniqueIds } from './unique.ts';
import { createWriter, notAlone } from './writer.ts';

export interface TranscriptOptions {
  /** Where the work is now; `cd` moves it. */
  readonly cwd: () => string;
  /** Our own version, for those who wonder who wrote a line. */
  readonly version: string;
  /** Somebody else wrote to the session: from here on lines go to a copy of what was there before. */
  readonly onFork?: (fork: { readonly from: string; readonly to: string; readonly file: string }) => void;
  /** What a person typed, for `history.jsonl`. */
  readonly onTyped?: (text: string, sessionId: string) => void;
  readonly now?: () => number;
  /** The write call; tests hand in one that fails. */
  readonly write?: AppendOptions['write'];
  /** It is that of a sub-agent, for this prompt (L3). */
  readonly agent?: { readonly id: string; readonly promptId: string };
}

export interface OwnTranscript extends Transcript {
  /** Entries that are looked at for each request. */
  readonly unsettled: number;
  /** What it used and cost until now, as the client keeps it. */
  readonly costState: JsonObject | undefined;
  readonly slug: string;
  /** What was asked for last. */
  readonly lastPrompt: string;
  /** As it was handed in: agents write in the same way. */
  readonly write: AppendOptions['write'];
}

export function createTranscript(opened: OpenedFile, options: TranscriptOptions): OwnTranscript {
  const { now = Date.now, agent } = options;
  let { file, sessionId, leaf, lastPrompt, prompts, length, costState, lastTime } = opened;
  // Only these: the rest of what was opened need not be kept.
  const { slug, usage, ids: taken } = opened;
  let writer = createWriter(file, opened.end, options.write);
  let isResumed = leaf !== undefined;
  let promptId: string = options.agent?.promptId ?? randomUUID();
  let isPromptWritten = true;
  let isPrompted = false;
  let gitBranch = gitBranchOf(options.cwd());
  let answerStart: { readonly leaf: string | undefined } | undefined;
  let lastMessageId: string | undefined;
  let mode: string | undefined;
  const started = now();
  let dropped = droppedBefore(opened.entries);
  const throttle = createThrottle();
  const ids = createUniqueIds(taken, randomUUID);
  const conversation = createConversation(opened.entries, {
    read: () => (agent ? [...readEntriesOf(file, { to: writer.end })] : readLastPart(file, { to: writer.end })),
    leaf: () => leaf,
    isSide: agent !== undefined,
  });

  /** No two lines at one time, and none before another: older clients go by the newest. */
  function timestamp(): string {
    lastTime = Math.max(now(), lastTime + 1);
    return new Date(lastTime).toISOString();
  }

  function ensureOwn(): void {
    if (!writer.isForeign()) return;
    if (agent !== undefined) throw notAlone(file);
    const from = { file, sessionId, end: writer.end };
    const to = randomUUID();
    const copy = join(dirname(file), `${to}.jsonl`);
    const end = copySession({ from, to: { file: copy, sessionId: to } });
    writer = createWriter(copy, end, options.write);
    file = copy;
    sessionId = to;
    options.onFork?.({ from: from.sessionId, to, file });
  }

  /** Lines are made for the session they go to: should another program be quicker, they are made again for a copy. */
  function append(lines: () => readonly JsonObject[], fsync: boolean): string[] {
    for (;;) {
      ensureOwn();
      const made = lines().map((each) => JSON.stringify(each));
      if (writer.append(made, { fsync })) return made;
    }
  }

  function make({ before, after = {} }: Shape, parentUuid: string | null, uuid: string = randomUUID()): JsonObject {
    const envelope = { sessionId, cwd: options.cwd(), gitBranch, slug, client: options.version, agentId: agent?.id };
    return chainEntry({ parentUuid, uuid, timestamp: timestamp() }, before, after, envelope);
  }

  /** A line of the chain, which the next one hangs on. */
  function put(shape: Shape, place: { parent?: string; fsync?: boolean; uuid?: string } = {}): JsonObject {
    let entry: JsonObject = {};
    const lines = append(() => {
      entry = make(shape, place.parent ?? leaf ?? null, place.uuid);
      return [entry];
    }, place.fsync === true);
    leaf = asString(entry.uuid);
    length += 1;
    for (const line of lines) conversation.add(line);
    return entry;
  }

  function writeLine(value: JsonObject): void {
    const lines = append(() => [{ ...value, sessionId }], false);
    if (value.type === 'last-prompt') for (const line of lines) conversation.add(line);
  }

  /** Told where a person is at work, when it is not what it was. */
  function writeMode(permissionMode: string): void {
    if (mode === permissionMode) return;
    if (mode === undefined) writeLine({ type: 'mode', mode: 'normal' });
    writeLine({ type: 'permission-mode', permissionMode });
    mode = permissionMode;
  }

  /** R13: what the client appends before the first prompt of a resumed session. */
  function repair(content: string | readonly JsonObject[]): void {
    isResumed = false;
    const { openCalls, noResponse } = conversation.before(content);
    for (const toolUseId of openCalls) {
      const entryUuid = conversation.callLine(toolUseId);
      if (entryUuid === undefined) continue;
      put(resultShape({ toolUseId, entryUuid }, UNKNOWN, promptId, { denial: 'interrupted' }), { parent: entryUuid });
    }
    if (noResponse || openCalls.length > 0) put({ before: noResponseShape(randomUUID()) });
  }

  function nextPrompt(): string {
    if (isPromptWritten && agent === undefined) promptId = randomUUID();
    isPromptWritten = false;
    isPrompted = true;
    return promptId;
  }

  function writePrompt(content: string | readonly JsonObject[], prompt: PromptOptions): JsonObject {
    const told = typeof content === 'string' ? content : [...content];
    if (prompt.isMeta) return put(metaShape(told, promptId, prompt));
    if (agent !== undefined) {
      if (isResumed) repair(content);
      return put(agentPromptShape(told, promptId, prompt.source === 'message'), { fsync: true });
    }
    nextPrompt();
    isPromptWritten = true;
    gitBranch = gitBranchOf(options.cwd());
    if (isResumed) repair(content);
    const typed = prompt.source === 'typed';
    if (typed) writeMode(prompt.permissionMode);
    // A name that is taken would make a ring of the chain.
    const isFree = prompt.uuid !== undefined && taken.find(prompt.uuid) < 0;
    if (isFree) taken.add(prompt.uuid);
    const named = isFree ? { uuid: prompt.uuid } : {};
    const entry = put(promptShape(told, promptId, prompt, prompts), { fsync: true, ...named });
    prompts += 1;
    const words = prompt.typed ?? wordsOf(content);
    if (prompt.source !== 'notice') lastPrompt = words || lastPrompt;
    if (typed) options.onTyped?.(words, sessionId);
    return entry;
  }

  return {
    get sessionId() {
      return sessionId;
    },
    get file() {
      return file;
    },
    get leaf() {
      return leaf;
    },
    get unsettled() {
      return conversation.unsettled;
    },
    get costState() {
      return costState;
    },
    slug,
    usage,
    write: options.write,
    get lastPrompt() {
      return lastPrompt;
    },
    get promptId() {
      return isPrompted ? promptId : undefined;
    },
    nextPrompt,
    messages: (model) => conversation.messages(model),
    prompt: writePrompt,
    block(block, answer) {
      const id = ids.message(answer.id, answer.index);
      if (lastMessageId !== id) answerStart = { leaf };
      lastMessageId = id;
      return put(blockShape(ids.block(block), { ...answer, id }));
    },
    abandon() {
      if (answerStart !== undefined) leaf = answerStart.leaf;
      answerStart = undefined;
      ids.endAnswer();
    },
    result(call, outcome, notes = {}) {
      throttle.forget(call.toolUseId);
      answerStart = undefined;
      // In one chain, though the newest client hangs each on its own call: older ones lose parallel calls that branch (E5, S2).
      return put(resultShape(call, outcome, promptId, notes));
    },
    progress(call, data) {
      const told = throttle.take(call.toolUseId, data, now());
      if (told === undefined) return;
      const before = { type: 'progress', data: told, toolUseID: call.toolUseId, parentToolUseID: call.toolUseId };
      append(() => [make({ before }, call.entryUuid)], false);
    },
    system: (subtype, fields) => put({ before: { type: 'system', subtype, ...fields }, after: { isMeta: false } }),
    attachment: (attachment, rendered) => put(attachmentShape(attachment, rendered)),
    queued(message) {
      if (agent !== undefined) return put(messageShape(message));
      const deliveryId = randomUUID();
      writeLine({
        type: 'queue-operation',
        operation: 'remove',
        timestamp: new Date(now()).toISOString(),
        content: wordsOf(message.content),
        reason: 'absorbed_mid_turn',
        commandUuid: message.uuid,
        deliveryId,
      });
      return put(queuedShape(message, deliveryId));
    },
    entry: (value) => put({ before: value }),
    interrupted(during) {
      const text = during === 'tool' ? INTERRUPTED_TOOL : INTERRUPTED;
      const after = lastMessageId === undefined ? {} : { interruptedMessageId: lastMessageId };
      return put({ before: userShape([{ type: 'text', text }], promptId), after });
    },
    apiError: (failure) => put({ before: apiErrorShape(failure, randomUUID()) }),
    compact(fields) {
      const preserved = fields.running === undefined ? conversation.lastAnswer() : [];
      dropped += Math.max(0, fields.preTokens - fields.postTokens);
      const anchor = randomUUID();
      let made: JsonObject[] = [];
      append(() => {
        const boundary = make(boundaryShape(fields, { leaf: leaf ?? '', anchor, preserved, dropped }), null);
        made = [boundary, make(summaryShape(fields, promptId, prompts), String(boundary.uuid), anchor)];
        return made;
      }, true);
      leaf = anchor;
      length += 2;
      answerStart = undefined;
      conversation.compacted();
      return made;
    },
    line: writeLine,
    endTurn(spent) {
      if (leaf === undefined || agent !== undefined) return;
      let last: string | undefined;
      const cost = { type: 'cost-state', sessionId, ...addSpent(costState, spent, started) };
      const before = { type: 'system', subtype: 'turn_duration', durationMs: spent.durationMs, messageCount: length };
      const lines = append(() => {
        const duration = make({ before, after: { isMeta: false } }, leaf ?? null);
        last = asString(duration.uuid);
        const pin = { type: 'last-prompt', lastPrompt, leafUuid: last, sessionId };
        return [duration, pin, { ...cost, sessionId }];
      }, true);
      leaf = last;
      length += 1;
      costState = cost;
      for (const line of lines.slice(0, 2)) conversation.add(line);
    },
  };
}
