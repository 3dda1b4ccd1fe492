/** What an agent leaves on the disk (L3): its transcript, and a file that tells whose it is. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { DiskError } from '../../disk/errors.ts';
import { readJsonObject } from '../../disk/sidecars.ts';
import type { JsonObject } from '../../format/json.ts';
import { encode } from '../../format/text.ts';
import { newFile, openFile } from '../transcript/opened.ts';
import { createTranscript, type OwnTranscript } from '../transcript/transcript.ts';

export function newAgentId(): string {
  return `a${randomBytes(8).toString('hex')}`;
}

export interface AgentFile {
  readonly agentId: string;
  /** That of the session. */
  readonly session: OwnTranscript;
  readonly cwd: () => string;
  readonly version: string;
}

/** Lines of the session's id, in a file and a chain of their own: a new one, or one that is gone on with. Throws DiskError. */
export function agentTranscript({ agentId, session, cwd, version }: AgentFile): AgentTranscript {
  const { sessionId, slug, write } = session;
  const file = fileOf(session, agentId);
  const promptId = session.promptId ?? session.nextPrompt();
  const opened = existsSync(file) ? openFile(file, { isSide: true }) : newFile(file);
  const agent = { id: agentId, promptId };
  const transcript = createTranscript({ ...opened, sessionId, slug }, { cwd, version, agent, ...(write && { write }) });
  return { transcript, model: opened.model };
}

export interface AgentTranscript {
  readonly transcript: OwnTranscript;
  /** The model that answered last in it. */
  readonly model: string | undefined;
}

export function fileOf({ file }: Pick<OwnTranscript, 'file'>, agentId: string): string {
  return join(file.replace(/\.jsonl$/, ''), 'subagents', `agent-${agentId}.jsonl`);
}

/** What is known of an agent that the session had; undefined when it had none of that id. */
export function findAgent(session: Pick<OwnTranscript, 'file'>, agentId: string): JsonObject | undefined {
  // It names a file.
  if (!/^[\w-]{1,100}$/.test(agentId)) return undefined;
  const file = fileOf(session, agentId);
  return existsSync(file) ? (readJsonObject(metaOf(file, agentId)) ?? {}) : undefined;
}

export interface AgentMeta {
  readonly agentType: string;
  readonly isBuiltIn: boolean;
  readonly description: string;
  readonly toolUseId: string;
  readonly spawnDepth: number;
  /** The agent that called it; undefined where the session did. */
  readonly parentAgentId?: string | undefined;
}

/** What another client noted of it stays. Throws DiskError. */
export function writeMeta(transcript: string, agentId: string, meta: AgentMeta): void {
  write(transcript, agentId, { ...meta });
}

/** Losing this is no reason to fail what was done. */
export function writeFinished(transcript: string, agentId: string, meta: AgentMeta): void {
  try {
    write(transcript, agentId, { ...readJsonObject(metaOf(transcript, agentId)), ...meta, finished: true });
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
}

function write(transcript: string, agentId: string, meta: AgentMeta & { finished?: true }): void {
  writeFileAtomic(metaOf(transcript, agentId), encode(JSON.stringify(meta)));
}

function metaOf(transcript: string, agentId: string): string {
  return join(dirname(transcript), `agent-${agentId}.meta.json`);
}
