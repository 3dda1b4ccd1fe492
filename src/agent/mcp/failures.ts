/** Why a server could not be reached or gave no answer, in words. */
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { asArray, isObject, parseJson } from '../../format/json.ts';
import { ENDED_BY_US } from './stdio.ts';

export class StartFailure extends Error {
  readonly needsAuth: boolean;
  readonly mayBeOld: boolean;
  constructor(message: string, { needsAuth = false, mayBeOld = false }) {
    super(message);
    this.needsAuth = needsAuth;
    this.mayBeOld = mayBeOld;
  }
}

export function explained(failure: unknown, transport: Transport, lateMs: number | undefined): StartFailure {
  if (lateMs !== undefined) {
    return new StartFailure(`it did not answer within ${lateMs / 1000} s (MCP_TIMEOUT)${lastWords(transport)}`, {});
  }
  const status =
    failure instanceof SdkHttpError ? failure.status : failure instanceof SseError ? failure.code : undefined;
  if (failure instanceof UnauthorizedError || status === 401) {
    return new StartFailure('it wants to know who asks: give it a header, e.g. Authorization', { needsAuth: true });
  }
  // That we gave it up says nothing: why we did does.
  const ended = 'ended' in transport && typeof transport.ended === 'string' && transport.ended !== ENDED_BY_US;
  const said = ended ? whyEnded(transport) : wordsOf(failure);
  const mayBeOld = status !== undefined || (ended && 'pid' in transport && transport.pid !== undefined);
  return new StartFailure(said, { mayBeOld });
}

export function whyEnded(transport: Transport): string {
  const ended =
    'ended' in transport && typeof transport.ended === 'string' ? transport.ended : 'the connection was closed';
  return `${ended}${lastWords(transport)}`;
}

function lastWords(transport: Transport): string {
  const stderr = 'stderr' in transport && typeof transport.stderr === 'string' ? transport.stderr : '';
  return stderr === '' ? '' : `; its last words: ${stderr.slice(-800)}`;
}

/** A server may answer with a whole page. */
const MOST_WORDS = 4000;

/** For the model, which sees nothing else of it. */
export function wordsOf(failure: unknown, name?: string, ended?: string): string {
  const words = allWordsOf(failure, name, ended);
  return words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)} … (${words.length} characters)` : words;
}

function allWordsOf(failure: unknown, name: string | undefined, ended: string | undefined): string {
  if (name !== undefined && failure instanceof SdkError && failure.code === SdkErrorCode.ConnectionClosed) {
    return `The MCP server "${name}" ended during the call: ${ended ?? 'the connection was closed'}`;
  }
  if (name !== undefined && failure instanceof SdkError && failure.code === SdkErrorCode.RequestTimeout) {
    return `The MCP server "${name}" gave no answer in time (MCP_TOOL_TIMEOUT): ${failure.message}`;
  }
  if (failure instanceof ProtocolError) return failure.message.replace(/^MCP error -?\d+: /, '');
  if (!(failure instanceof Error)) return String(failure);
  const [, what = '', issues = ''] = /^(Invalid result for \S+): (\[.*\])$/s.exec(failure.message) ?? [];
  if (what !== '') return `${what}: ${issuesIn(issues)}`;
  const cause = failure.cause instanceof Error ? `: ${failure.cause.message}` : '';
  return `${failure.message}${cause}`;
}

/** What the library holds against an answer, in a line. */
function issuesIn(json: string): string {
  const issues = (asArray(parseJson(json)) ?? []).filter(isObject).slice(0, 3);
  return issues.map(({ path, message }) => `${(asArray(path) ?? []).join('.')}: ${message}`).join('; ');
}
