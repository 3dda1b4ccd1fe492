/** A search as every store answers it. */
import type { Problem } from '../disk/errors.ts';
import type { SessionFile } from '../disk/find.ts';
import type { Mask } from '../views/options.ts';
import type { Span } from '../views/search/match.ts';
import type { Role, Where } from '../views/search/parts.ts';
import type { Query } from '../views/search/query.ts';

export interface ScanOptions {
  readonly onFile?: (file: SessionFile) => void;
  /** How long a regular expression may take of even the smallest files. */
  readonly leastMs?: number;
}

export interface SearchRequest extends ScanOptions {
  readonly query: Query;
  readonly sort: 'rank' | 'date';
  readonly offset: number;
  readonly limit: number;
  readonly now: Date;
  readonly mask?: Mask;
  readonly snippetLength?: number;
}

export interface SearchResult {
  readonly total: number;
  readonly hits: readonly Hit[];
  readonly engine: 'index' | 'files' | 'team';
  /** Transcripts read, because there is no index or because they changed since it was made. */
  readonly scanned: number;
  readonly problems: readonly Problem[];
  /** By session, of those that were found and the store knows. */
  readonly chats: ReadonlyMap<string, KnownChat>;
}

export interface KnownChat {
  readonly id: string;
  readonly title: string | undefined;
}

/** What a search gives, whichever way it was done. */
export interface Hit {
  readonly uuid: string | undefined;
  /** The session it stands in; of a sub-agent's entry the session that started it. */
  readonly session: string | undefined;
  readonly agent: string | undefined;
  readonly role: Role;
  readonly where: Where;
  readonly tool: string | undefined;
  readonly isError: boolean;
  readonly snippet: string;
  readonly highlights: readonly Span[];
  /** As written. */
  readonly time: string | undefined;
  /** The transcript, where it lies or lay. */
  readonly file: string;
  readonly cwd: string | undefined;
  /** Only prompts are left of its session: nothing can be brought back. */
  readonly promptsOnly?: boolean;
  /** Only this state of the transcript has it, by its number in the archive: the last one has it no more. */
  readonly version?: number;
}
