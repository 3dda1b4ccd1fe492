/** What the client tells a hook on standard input (U1). */
import { basename, join } from 'node:path';
import { asObject, asString, parseJson } from '../../format/json.ts';

export interface HookInput {
  readonly event: string;
  readonly sessionId: string;
  /** The transcript; it may not have been written yet. */
  readonly transcript: string;
  /** Of the sub-agent that ended. */
  readonly agentTranscript?: string;
  /** Newer versions tell the final answer, which the transcript may still lack. */
  readonly lastAnswer?: string;
}

/** undefined for what no client sends. */
export function toHookInput(text: string, home: string): HookInput | undefined {
  // Some shells begin what they pass on with it.
  const told = asObject(parseJson(withoutBom(text)));
  const event = asString(told?.hook_event_name);
  const transcript = asString(told?.transcript_path);
  if (told === undefined || event === undefined || !transcript) return undefined;
  const agentTranscript = asString(told.agent_transcript_path);
  const lastAnswer = asString(told.last_assistant_message);
  const file = expandHome(transcript, home);
  return {
    event,
    sessionId: asString(told.session_id) ?? basename(file, '.jsonl'),
    transcript: file,
    ...(agentTranscript && { agentTranscript: expandHome(agentTranscript, home) }),
    ...(lastAnswer !== undefined && { lastAnswer }),
  };
}

export function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function expandHome(path: string, home: string): string {
  return /^~(?=[\\/])/.test(path) ? join(home, path.slice(1)) : path;
}
