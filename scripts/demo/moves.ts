/** What a person does besides typing prompts: rewinding, renaming, interrupting, queueing, slash commands, resuming. */
import { asObject, isObject, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { appendRequest } from './requests.ts';
import { attach, openSession, setTitle } from './surroundings.ts';
import { endTurn, hear, prompt, startTurn, turnPosition } from './talk.ts';
import { append, appendBare, CONFIG_HOME, iso, transcriptPath, userEntry, type Writer } from './writer.ts';

export interface Checkpoint {
  readonly tip: string | null;
  readonly context: number;
  readonly messages: Writer['requests']['messages'];
  readonly promptIndex: number;
  readonly turnIndex: number;
  readonly messageCount: number;
}

export function checkpoint(w: Writer): Checkpoint {
  const { tip, promptIndex, turnIndex, messageCount } = w;
  const messages = structuredClone(w.requests.messages);
  return { tip, context: w.meter.context, messages, promptIndex, turnIndex, messageCount };
}

/** Goes back and types another prompt there: a second child of the same entry (H3). */
export function rewindAndPrompt(w: Writer, to: Checkpoint, text: string, after: number): void {
  w.tip = to.tip;
  w.promptIndex = to.promptIndex;
  w.turnIndex = to.turnIndex;
  w.messageCount = to.messageCount;
  w.meter.context = to.context;
  w.meter.cached = Math.min(w.meter.cached, to.context);
  w.requests.messages = structuredClone(to.messages);
  prompt(w, text, after);
  const leafUuid = '00000000-0000-0000-0000-000000000000';
  appendBare(w, { type: 'last-prompt', leafUuid, explicit: true, sessionId: w.sessionId });
}

/** Typed while the model was busy (E9): 2.1.325 hands it on with the next tool result. */
export function queue(w: Writer, text: string): void {
  const { sessionId } = w;
  const sent = w.now - 2400;
  const [commandUuid, deliveryId] = [w.ids.uuid(), w.ids.uuid()];
  appendBare(w, { type: 'queue-operation', operation: 'enqueue', timestamp: iso(sent), sessionId, content: text });
  const why = { reason: 'absorbed_mid_turn', commandUuid, deliveryId };
  appendBare(w, {
    type: 'queue-operation',
    operation: 'remove',
    timestamp: iso(w.now),
    sessionId,
    content: text,
    ...why,
  });
  w.root.history.push({ display: text, timestamp: sent, project: w.cwd, sessionId });
  const command = { prompt: text, source_uuid: commandUuid, delivery_id: deliveryId, commandMode: 'prompt' };
  const human = { origin: { kind: 'human' }, timestamp: iso(sent), humanTurn: true };
  const said = `The user sent a new message while you were working:\n${text}`;
  attach(w, { type: 'queued_command', ...command, ...human }, said);
  hear(w, said);
}

export function rename(w: Writer, title: string, after: number): void {
  typeCommand(w, `/rename ${title}`, after);
  setTitle(w, title);
  localCommand(w, commandText('rename', title));
  localCommand(w, `<local-command-stdout>Session renamed to: ${title}</local-command-stdout>`, {
    commandRun: { command: 'rename', args: title },
  });
  const note = `<system-reminder>\nThe user named this session "${title}".\n</system-reminder>`;
  userEntry(w, note, { meta: true });
  hear(w, note);
}

function localCommand(w: Writer, content: string, more: JsonObject = {}): void {
  const head = { type: 'system', subtype: 'local_command', content, level: 'info' };
  append(w, { head, tail: { isMeta: false, ...more } });
  hear(w, content);
}

function commandText(name: string, args: string): string {
  const indent = '\n            ';
  return [
    `<command-name>/${name}</command-name>`,
    `<command-message>${name}</command-message>`,
    `<command-args>${args}</command-args>`,
  ].join(indent);
}

function typeCommand(w: Writer, display: string, after: number): void {
  w.now += after * 1000 + w.ids.between(0, 999);
  w.promptId = w.ids.uuid();
  w.root.history.push({ display, timestamp: w.now, project: w.cwd, sessionId: w.sessionId });
}

/** A command of the project: the call and its expansion make one turn (E7). */
export function slashCommand(w: Writer, name: string, args: string, expansion: string, after: number): void {
  const display = `/${name} ${args}`;
  startTurn(w, after);
  openSession(w);
  w.root.history.push({ display, timestamp: w.now, project: w.cwd, sessionId: w.sessionId });
  w.promptIndex += 1;
  w.lastPrompt = display;
  const tags = [`<command-message>${name}</command-message>`, `<command-name>/${name}</command-name>`];
  const command = [...tags, `<command-args>${args}</command-args>`].join('\n');
  w.promptUuid = userEntry(w, command, { tail: { turnOrigin: 'human', turnPosition: turnPosition(w) } });
  hear(w, command);
  const content: Json = [{ type: 'text', text: expansion }];
  const head = { type: 'user', message: { role: 'user', content }, isMeta: true, turnCompanion: true };
  append(w, { head, prompted: true });
  hear(w, content);
}

/** The mark an interruption leaves; the turn is over. */
export function interrupt(w: Writer, kind: 'answer' | 'tool', interruptedMessageId?: string): void {
  w.now += w.ids.between(4, 30);
  const text = kind === 'tool' ? '[Request interrupted by user for tool use]' : '[Request interrupted by user]';
  const content = [{ type: 'text', text }];
  userEntry(w, content, { tail: interruptedMessageId === undefined ? {} : { interruptedMessageId } });
  hear(w, content);
  endTurn(w);
}

/** A request that the API refused for the moment; the client waits and sends it again. */
export function apiError(w: Writer, attempt: number, waitMs: number): void {
  w.now += 80;
  if (attempt === 1) appendRequest(w);
  w.now += w.ids.between(700, 1500);
  const requestID = w.ids.request();
  const cause = { type: 'overloaded_error', message: 'Overloaded' };
  const error = { status: 529, requestID, error: { type: 'error', error: cause, request_id: requestID } };
  const retry = { retryInMs: waitMs, retryAttempt: attempt, maxRetries: 10, source: 'repl_main_thread' };
  append(w, { head: { type: 'system', subtype: 'api_error', level: 'error', error, ...retry } });
  w.now += waitMs;
}

/** The client runs out of room and goes on from a summary (C1). */
export function compact(w: Writer, summary: string): number {
  w.now += w.ids.between(38_000, 52_000);
  const preTokens = w.meter.context;
  append(w, {
    parent: null,
    head: {
      logicalParentUuid: w.tip,
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      level: 'info',
      compactMetadata: { trigger: 'auto', preTokens },
    },
  });
  const text = [
    'This session is being continued from a previous conversation that ran out of context.' +
      ' The summary below covers the earlier portion of the conversation.',
    `Summary:\n${summary}`,
    `The full transcript of the earlier part is at: ${CONFIG_HOME}/${transcriptPath(w)}`,
  ].join('\n\n');
  const head = { type: 'user', message: { role: 'user', content: text } };
  append(w, { head: { ...head, isVisibleInTranscriptOnly: true, isCompactSummary: true } });
  w.meter.context = w.meter.base;
  w.meter.cached = 0;
  // What comes after is short again.
  w.weight = 1;
  hear(w, text);
  return preTokens;
}

/** How 1.0.111 resumed (H1): a new file with a title, then copies with the same uuids and the new session's id. */
export function copyInto(next: Writer, from: Writer, summary: string): void {
  appendBare(next, { type: 'summary', summary, leafUuid: from.tip });
  for (const line of from.lines) {
    const entry = asObject(parseJson(line));
    if (entry === undefined) continue;
    const { toolUseResult: _, requestId: __, message, type, uuid, timestamp: ___, ...rest } = entry;
    const copied = { ...rest, sessionId: next.sessionId, type, message: copiedMessage(message) };
    appendBare(next, { ...copied, uuid, timestamp: iso(next.now) });
  }
  next.tip = from.tip;
  next.meter.context = from.meter.context;
}

/** String content became an array. */
function copiedMessage(message: Json | undefined): Json {
  if (!isObject(message)) return {};
  const { content } = message;
  return typeof content === 'string' ? { ...message, content: [{ type: 'text', text: content }] } : message;
}
