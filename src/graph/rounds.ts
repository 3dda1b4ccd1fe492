/**
 * How a turn joins the one before it. A later run of the client is not marked in the format;
 * what shows it, as recorded: another version or session id on the prompt (prompts keep theirs when 1.0.x copies them) · a
 * SessionStart hook with source startup or resume · "No response requested.", which the client writes when it resumes ·
 * `cost-state`, written when it exits (≥2.1.290) · a dequeue while nothing was waiting: print mode (≥2.0.36) queues the
 * prompt it was started with. Hosts that keep one client running queue every prompt too; they write checkpoints, print
 * mode does not · a file that begins with the queue of a later moment: what is older was copied into it by a fork · in a
 * 1.0.x copy, all copied entries share one time.
 */
import { type Entry, jsonOf } from '../format/entry.ts';
import { asString, at } from '../format/json.ts';
import { promptText } from '../format/prompt.ts';
import { type Draft, isActivity, isClosing, type Part } from './parts.ts';
import { millisOf } from './time.ts';
import type { Round } from './types.ts';

/** A pause after which a chat is taken up again rather than continued. */
const PAUSE = 5 * 60 * 1000;

/** One for each turn; `lasts` are their last parts in time. */
export function roundsOf(drafts: readonly Draft[], lasts: readonly (Part | undefined)[]): Round[] {
  const begun = beginningOf(drafts[0]);
  return drafts.map((draft, index): Round => {
    const previous = drafts[index - 1];
    if (draft.prompt === undefined) return 'continue';
    if (previous === undefined || openingOf(previous) === undefined) return 'new_session';
    const gap = (millisOf(draft.prompt.head.timestamp) ?? Number.NaN) - (lasts[index - 1]?.time ?? Number.NaN);
    const resumed = gap > PAUSE || isLaterRun(draft, previous, drafts[index - 2]) || isBetween(begun, previous, draft);
    return resumed ? 'resume' : 'new_round';
  });
}

/** What a turn begins with. A summary in place of a prompt stands for prompts that were compacted away (C1). */
function openingOf({ prompt, parts }: Draft): Entry | undefined {
  return prompt ?? parts.find(({ kind }) => kind === 'compact_summary')?.entry;
}

/** When the client that wrote the top of the file was started: its own queue is never copied. */
function beginningOf(first: Draft | undefined): number | undefined {
  for (const { entry } of first?.parts ?? []) {
    if (entry === first?.prompt) return undefined;
    if (entry.head.operation === 'dequeue') return millisOf(entry.head.timestamp);
  }
  return undefined;
}

function isBetween(time: number | undefined, before: Draft, after: Draft): boolean {
  const [from, to] = [before, after].map((draft) => millisOf(openingOf(draft)?.head.timestamp));
  return time !== undefined && from !== undefined && to !== undefined && from < time && time <= to;
}

function isLaterRun(draft: Draft, previous: Draft, earlier: Draft | undefined): boolean {
  const [now, before] = [draft.prompt, openingOf(previous)];
  if (now === undefined || before === undefined) return false;
  if (now.source !== before.source) return true;
  if (differ(now.head.version, before.head.version)) return true;
  if (differ(now.head.sessionId, before.head.sessionId)) {
    const isFirst = earlier?.prompt?.source !== before.source;
    if (!isFirst || !isLeadingId(previous, now.head.sessionId)) return true;
  }
  const between = entriesBetween(draft, previous);
  if (between.some((entry) => isClosing(entry) || entry.kind === 'cost-state' || isSessionStart(entry))) return true;
  return isPrintStart(between, now) || (isCopied(previous) && !isCopied(draft));
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/**
 * H4: the first line of a continuation has the id of the session it continues; what follows has that of its own. A prompt
 * that an interactive 1.0.x resume copied looks the same.
 */
function isLeadingId(draft: Draft, own: string | undefined): boolean {
  const opening = openingOf(draft);
  if (isOld(opening)) return false;
  const first = draft.parts.findIndex(({ entry }) => entry === opening);
  const ids = new Set(draft.parts.slice(first + 1).map(({ entry }) => entry.head.sessionId));
  return ids.has(own) && !ids.has(opening?.head.sessionId);
}

/** From the last thing said in the turn before to the prompt. */
function entriesBetween(draft: Draft, previous: Draft): Entry[] {
  const last = previous.parts.findLastIndex(isActivity);
  const first = draft.parts.findIndex(({ entry }) => entry === draft.prompt);
  return [...previous.parts.slice(last + 1), ...draft.parts.slice(0, first)].map(({ entry }) => entry);
}

const STARTS = new Set(['SessionStart:startup', 'SessionStart:resume']);

function isSessionStart(entry: Entry): boolean {
  const { kind, head } = entry;
  if (kind === 'progress' && head.progress?.type === 'hook_progress') {
    return STARTS.has(asString(at(jsonOf(entry), 'data', 'hookName')) ?? '');
  }
  if (kind === 'attachment' && head.attachmentType?.startsWith('hook_')) {
    return STARTS.has(asString(at(jsonOf(entry), 'attachment', 'hookName')) ?? '');
  }
  return kind === 'user' && !head.isMeta && promptText(entry).startsWith('<session-start-hook>');
}

function isPrintStart(between: readonly Entry[], prompt: Entry): boolean {
  const { entrypoint } = prompt.head;
  if (entrypoint !== undefined && entrypoint !== 'sdk-cli') return false;
  const dequeued = between.findLastIndex(({ head }) => head.operation === 'dequeue');
  return dequeued >= 0 && !between.slice(dequeued).some(({ kind }) => kind === 'file-history-snapshot');
}

/** An answer cannot come in the moment of its question; a clock tick between two copied lines can pass. */
const SAME_MOMENT = 5;

function isCopied(draft: Draft): boolean {
  const opening = openingOf(draft);
  if (opening === undefined || !isOld(opening)) return false;
  const answer = draft.parts.find(({ entry, inline }) => entry.kind === 'assistant' && !inline);
  const [asked, answered] = [millisOf(opening.head.timestamp), millisOf(answer?.entry.head.timestamp)];
  return asked !== undefined && answered !== undefined && Math.abs(answered - asked) <= SAME_MOMENT;
}

function isOld(prompt: Entry | undefined): boolean {
  return prompt?.head.version?.startsWith('1.') ?? false;
}
