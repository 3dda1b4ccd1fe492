/** `!command`: what a person runs themselves stands in the conversation, for the model to know of (E8). */
import type { JsonObject } from '../../format/json.ts';
import type { Transcript } from '../ports.ts';
import type { ToolSession } from '../tools/tool.ts';

export interface TypedParts {
  readonly transcript: Transcript;
  readonly session: ToolSession;
  readonly wrote: (entry: JsonObject) => void;
}

export interface TypedRan {
  readonly text: string;
  readonly failed: boolean;
}

const TIMEOUT_MS = 600_000;
/** What is longer would fill the context. */
const MOST_CHARACTERS = 30_000;

/** Nobody is asked: the person typed it. */
export async function runTyped(parts: TypedParts, command: string, signal: AbortSignal): Promise<TypedRan> {
  const { transcript, session, wrote } = parts;
  transcript.nextPrompt();
  const said = (content: string) => {
    wrote(transcript.entry({ promptId: transcript.promptId, type: 'user', message: { role: 'user', content } }));
  };
  said(`<bash-input>${command}</bash-input>`);
  const { cwd, env } = session;
  const ran = await session.shells.run({ command, cwd, env, signal, timeoutMs: TIMEOUT_MS });
  const whole = ran.failure ?? `${ran.output.head}${ran.output.tail}`.trimEnd();
  const text = whole.length > MOST_CHARACTERS ? `${whole.slice(0, MOST_CHARACTERS)}\n[cut]` : whole;
  const failed = ran.failure !== undefined || ran.why !== 'exit' || ran.code !== 0;
  const [out, err] = failed ? ['', text] : [text, ''];
  said(`<bash-stdout>${out}</bash-stdout><bash-stderr>${err}</bash-stderr>`);
  transcript.endTurn({ durationMs: 0, apiMs: 0, costUSD: 0, usage: {} });
  return { text, failed };
}
