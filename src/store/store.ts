/**
 * What the reading verbs need of a place that keeps sessions. There are two: the archive of this machine (cli/kept.ts), read beside the
 * disk, and a team's (team/read/store.ts), read alone.
 */
import type { SessionFile } from '../disk/find.ts';
import type { Root } from '../disk/roots.ts';
import type { FileUsage } from '../disk/usage.ts';
import type { Outline } from '../graph/outline.ts';
import type { Fact } from '../views/usage/facts.ts';
import type { KnownChat, SearchRequest, SearchResult } from './search.ts';

/** What is known of a session without reading it: nothing where its file is not as the store last saw it. */
export interface Known {
  outlineOf(file: SessionFile): Outline | undefined;
  /** When something was last said. */
  updatedOf(file: SessionFile): number | undefined;
  /** The usage of its messages. */
  usageOf(file: SessionFile): FileUsage[] | undefined;
  /** All usage added up, where the store holds these files as they are, and no others. */
  usageCells(files: readonly SessionFile[]): Fact[] | undefined;
  /** By the id of a session, as the store last saw it. */
  chatOf(session: string): KnownChat | undefined;
}

export interface OnDisk {
  readonly files: readonly SessionFile[];
  readonly roots: readonly Root[];
}

/** A state of a transcript that is not what is read at its path. */
export interface EarlierState {
  /** At a path of its own. */
  readonly session: SessionFile;
  /** The path of the transcript. */
  readonly file: string;
  /** Which of its states it is, the oldest first. */
  readonly version: number;
}

export interface Store {
  /** What its files are marked with. */
  readonly source: 'archive' | 'team';
  /** What to call it, for people. */
  readonly name: string;
  /** Makes what is not on disk readable at its path (disk/mounts.ts). The transcripts among it, as if they had been found. */
  mount(disk: OnDisk): SessionFile[];
  /** Earlier states of its files, with lines that those have no more. */
  earlier(disk: OnDisk): EarlierState[];
  readonly known: Known;
  /** undefined where it cannot tell: the files are searched then. */
  search(request: SearchRequest): Promise<SearchResult | undefined>;
  close(): Promise<void>;
}
