/** What the client writes around the conversation: modes, attachments of the first prompt, the session's last state. */
import type { Json, JsonObject } from '../../src/format/json.ts';
import { sendSurroundings } from './requests.ts';
import { costState } from './usage.ts';
import { append, appendBare, iso, projectFolder, save, type Writer } from './writer.ts';

export function openSession(w: Writer): void {
  if (w.version !== '2.1.325' || w.agent || w.lines.length > 0) return;
  appendModes(w);
}

function appendModes(w: Writer): void {
  const { sessionId } = w;
  appendBare(w, { type: 'mode', mode: 'normal', sessionId });
  appendBare(w, { type: 'permission-mode', permissionMode: w.permissionMode, sessionId });
  appendBare(w, { type: 'atis-latch', atis: '', sessionId });
}

const MODEL_NAMES: Record<string, string> = {
  'claude-opus-4-5-20251101': 'Opus 4.5',
  'claude-sonnet-4-5-20250929': 'Sonnet 4.5',
  'claude-haiku-4-5-20251001': 'Haiku 4.5',
};

/** Attachments follow the first prompt and stand in the parent chain (E3). */
export function attachSurroundings(w: Writer): void {
  if (w.version !== '2.1.325' || w.surrounded) return;
  w.surrounded = true;
  const date = iso(w.now).slice(0, 10);
  const name = MODEL_NAMES[w.model] ?? w.model;
  const context = `Current branch: ${w.gitBranch}\nStatus: (clean)`;
  attach(w, environmentOf(w), `Working directory: ${w.cwd}\nPlatform: linux`);
  attach(
    w,
    { type: 'model', identity: { modelId: w.model, marketingName: name }, text: `Model: ${name}` },
    `Model: ${name}`,
  );
  if (!w.agent) attach(w, { type: 'session_context', context: { gitStatus: context } }, context, 'user');
  attach(w, { type: 'date', date }, `Today's date is ${date}.`);
  sendSurroundings(w, reminder(context), `Working directory: ${w.cwd}\nModel: ${name}`);
}

function environmentOf(w: Writer): JsonObject {
  return {
    type: 'environment',
    snapshot: {
      workingDirectory: w.cwd,
      isWorktree: false,
      isGitRepo: true,
      additionalWorkingDirectories: [],
      platform: 'linux',
      shell: 'bash',
      osVersion: 'Linux 6.12.48',
    },
  };
}

export function attach(w: Writer, attachment: JsonObject, text: string, role: 'system' | 'user' = 'system'): void {
  const rendered: Json = [{ content: reminder(text) }];
  append(w, { head: { attachment, type: 'attachment' }, tail: { rendered, renderedRole: role } });
}

export function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

/** The session's state, which the client writes again from time to time: the newest `last-prompt` pins the leaf (R2). */
export function writeState(w: Writer): void {
  const { sessionId, title } = w;
  if (w.version === '2.1.80') appendBare(w, { type: 'last-prompt', lastPrompt: w.lastPrompt, sessionId });
  if (w.version !== '2.1.325') return;
  appendBare(w, { type: 'last-prompt', lastPrompt: w.lastPrompt, leafUuid: w.tip, sessionId });
  if (title !== undefined) {
    appendBare(w, { type: 'custom-title', customTitle: title, sessionId });
    appendBare(w, { type: 'agent-name', agentName: title, sessionId });
  }
  appendModes(w);
  if (w.pr) appendBare(w, { ...w.pr, timestamp: iso(w.now) });
}

export function setTitle(w: Writer, title: string): void {
  w.title = title;
  w.root.files.set(`${projectFolder(w)}/${w.sessionId}/custom-title.json`, JSON.stringify({ customTitle: title }));
  appendBare(w, { type: 'custom-title', customTitle: title, sessionId: w.sessionId });
  appendBare(w, { type: 'agent-name', agentName: title, sessionId: w.sessionId });
}

/** Ends the session: its last state, and the file in the set. */
export function close(w: Writer): void {
  writeState(w);
  w.now += w.ids.between(2000, 9000);
  if (w.version === '2.1.325') appendBare(w, costState(w.ledger, w.sessionId, w.startTime, w.now));
  save(w);
}
