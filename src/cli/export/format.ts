/** What a format of `skein export` is. */
import type { ToolDetail } from '../../views/options.ts';
import type { SharedChat } from './chats.ts';
import type { Review } from './review.ts';

export interface ExportOptions {
  readonly thinking: boolean;
  readonly tools: ToolDetail;
  /** A page that shows the chat step by step. */
  readonly replay: boolean;
  /** Secrets are shown as they are. */
  readonly reveal: boolean;
  readonly made: Date;
}

export interface Format {
  readonly extension: string;
  /** Content blocks as they were written, signatures and all; else the texts that a reader meets. */
  readonly holds: 'blocks' | 'texts';
  /** The file, piece by piece. */
  content(chat: SharedChat, review: Review, options: ExportOptions): Iterable<string>;
  /** The page of a project that leads to the files of its chats. */
  index(project: ProjectIndex): string;
}

export interface ProjectIndex {
  readonly project: string;
  readonly options: ExportOptions;
  readonly chats: readonly IndexRow[];
  readonly review: Review;
}

export interface IndexRow {
  readonly id: string;
  readonly title: string;
  /** The name of its file. */
  readonly file: string;
  readonly bytes: number;
  readonly turns: number;
  readonly started: string | null;
  readonly updated: string | null;
}
