/** The rows that are pushed, as they are sent (JSONEachRow): times in milliseconds, what is not there as ''. Columns as in schema/tables.ts. */

interface Common {
  readonly session: string;
  readonly name: string;
  readonly person: string;
  readonly retention: string;
  /** `2026-11-16 10:00:00.000` */
  readonly time: string;
  readonly version: number;
  /** 1: taken back. Only its key, retention and time count then. */
  readonly deleted: 0 | 1;
}

export type Content = 'none' | 'masked' | 'full';

export interface FileRow extends Common {
  readonly machine: string;
  readonly kind: string;
  readonly slug: string;
  readonly project: string;
  readonly agent: string;
  readonly content: Content;
  readonly mtime: string;
  readonly updated: string | null;
  readonly size: number;
  readonly lines: number;
  readonly digest: string;
  readonly chat: string;
  readonly title: string;
  readonly outline: string;
  readonly body: string;
}

export interface EntryRow extends Common {
  readonly n: number;
  readonly id: string;
  readonly type: string;
  readonly content: Content;
  readonly line: string;
}

export interface MessageRow extends Common {
  readonly n: number;
  readonly place: number;
  readonly slug: string;
  readonly agent: string;
  readonly identity: string;
  readonly said: string;
  readonly role: string;
  readonly copy: 0 | 1;
  readonly error: 0 | 1;
  /** Whether the entry told its time; else `time` is that of a neighbour. */
  readonly timed: 0 | 1;
  readonly model: string;
  readonly branch: string;
  readonly tool: string;
  readonly file: string;
  readonly words: string;
  readonly length: number;
}

export interface ToolCallRow extends Common {
  readonly id: string;
  readonly project: string;
  readonly agent: string;
  readonly tool: string;
  readonly status: string;
  readonly model: string;
  /** Of the API's message that made the call, as in usage. */
  readonly message: string;
  readonly timed: 0 | 1;
  readonly duration: number | null;
  readonly input_bytes: number;
  readonly result_bytes: number;
  /** Characters of the text that the model was given. */
  readonly result_chars: number;
  /** The same call again has the same; of the input as it was sent, as a decimal text. */
  readonly input_hash: string;
}

export interface UsageRow extends Common {
  readonly message: string;
  readonly request: string;
  readonly machine: string;
  readonly project: string;
  readonly agent: string;
  readonly branch: string;
  readonly model: string;
  readonly tier: string;
  readonly timed: 0 | 1;
  readonly ended: 0 | 1;
  readonly sidechain: 0 | 1;
  readonly copy: 0 | 1;
  readonly fork: 0 | 1;
  readonly start: number;
  readonly input: number;
  readonly output: number;
  readonly cache_creation: number;
  readonly cache_read: number;
  readonly cache_creation_5m: number | null;
  readonly cache_creation_1h: number | null;
  readonly web_searches: number | null;
  readonly web_fetches: number | null;
  readonly cost_recorded: number | null;
  readonly estimate: number | null;
}

export interface Rows {
  readonly files: FileRow;
  readonly entries: EntryRow;
  readonly messages: MessageRow;
  readonly tool_calls: ToolCallRow;
  readonly usage: UsageRow;
}
