/** What the policy says of the sessions that are archived, without sending any. */
import { allStates } from '../../archive/files.ts';
import type { Archive } from '../../archive/store.ts';
import { readLinesOf } from '../../disk/read.ts';
import { toParsedEntry } from '../../format/entry.ts';
import { projectOfFile } from '../push/filerows.ts';
import { lookOver } from '../push/lookover.ts';
import { openReading } from '../push/reading.ts';
import { type PushSession, pushSessions } from '../push/sessions.ts';
import { createShape } from '../push/shape.ts';
import { createDecider, type Decision } from './decide.ts';
import type { Policy } from './types.ts';

export interface Surveyed extends Decision {
  readonly session: string;
  readonly project: string | undefined;
  readonly retention: string;
  readonly bytes: number;
}

export interface Sample {
  readonly before: string;
  /** undefined: the line is not sent. */
  readonly after: string | undefined;
}

export interface Survey {
  /** In the order of the archive. */
  readonly sessions: readonly Surveyed[];
  /** Of the first that was asked for. */
  readonly sample?: Sample;
}

/** `only`: these sessions, and they are read whole; otherwise what the outlines know is enough. */
export function survey(archive: Archive, policy: Policy, home: string, only?: ReadonlySet<string>): Survey {
  const decider = createDecider(policy, home);
  const reading = openReading(archive);
  try {
    const wanted = pushSessions(allStates(archive.db)).filter(({ id }) => only?.has(id) ?? true);
    let sample: Sample | undefined;
    const sessions = wanted.map((session): Surveyed => {
      const [own] = session.files;
      const quick = only === undefined && own?.kind === 'session' ? reading.cwdsOf(own) : undefined;
      const shape = createShape({ content: policy.content, home, paths: policy.names === 'path' });
      const look = () => lookOver(session.files, { pathOf: reading.pathOf, learn: only ? shape.learn : () => {} });
      const facts = quick === undefined ? look() : undefined;
      const cwds = new Set(quick ?? facts?.cwds ?? []);
      const project = own === undefined ? undefined : projectOf(own, cwds);
      const decision = decider.session(undefined, cwds);
      if (only !== undefined && decision.allowed) sample ??= sampleOf(session, reading.pathOf, shape);
      const bytes = session.files.reduce((sum, { state }) => sum + state.size, 0);
      return { session: session.id, project, retention: decider.retention(project), bytes, ...decision };
    });
    return { sessions, ...(sample !== undefined && { sample }) };
  } finally {
    reading.close();
  }
}

function projectOf(own: PushSession['files'][number], cwds: ReadonlySet<string>): string | undefined {
  const counts = new Map([...cwds].map((cwd) => [cwd, 1]));
  const project = projectOfFile(own, {
    files: new Map([[own, { firstTime: undefined, cwds: counts }]]),
    calls: new Map(),
    cwds,
  });
  return cwds.has(project) ? project : undefined;
}

const SHORT = 2000;

/** A line in which something was said, not too long to be looked at. */
function sampleOf(
  { files: [own] }: PushSession,
  pathOf: (file: NonNullable<typeof own>) => string,
  shape: ReturnType<typeof createShape>,
): Sample | undefined {
  if (own === undefined || !own.isTranscript) return undefined;
  return readLinesOf(pathOf(own), {}, (source, lines) => {
    for (const raw of lines) {
      const parsed = toParsedEntry(source, raw.line, raw.bytes);
      if (raw.bytes.length > SHORT || (parsed.entry.kind !== 'user' && parsed.entry.kind !== 'assistant')) continue;
      const shaped = shape.line(parsed, raw);
      const before = Buffer.from(raw.bytes).toString('utf8');
      return { before, after: typeof shaped === 'string' ? undefined : shaped.text };
    }
    return undefined;
  });
}
