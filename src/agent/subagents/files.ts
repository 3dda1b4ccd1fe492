/** What an agent leaves on the disk (L3): its transcript, and a file that tells whose it is. */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { DiskError } from '../../disk/errors.ts';
import { encode } from '../../format/text.ts';
import { newFile } from '../transcript/opened.ts';
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

/** Lines of the session's id, in a file and a chain of their own. */
export function createAgentTranscript({ agentId, session, cwd, version }: AgentFile): OwnTranscript {
  const { sessionId, slug } = session;
  const file = join(session.file.replace(/\.jsonl$/, ''), 'subagents', `agent-${agentId}.jsonl`);
  const promptId = session.promptId ?? session.nextPrompt();
  return createTranscript({ ...newFile(file), sessionId, slug }, { cwd, version, agent: { id: agentId, promptId } });
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

/** Throws DiskError. */
export function writeMeta(transcript: string, agentId: string, meta: AgentMeta): void {
  write(transcript, agentId, { ...meta });
}

/** Losing this is no reason to fail what was done. */
export function writeFinished(transcript: string, agentId: string, meta: AgentMeta): void {
  try {
    write(transcript, agentId, { ...meta, finished: true });
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
}

function write(transcript: string, agentId: string, meta: AgentMeta & { finished?: true }): void {
  writeFileAtomic(join(dirname(transcript), `agent-${agentId}.meta.json`), encode(JSON.stringify(meta)));
}
