/**
 * The tables of a team, as data: statements are made of them (definition.ts), rows are checked against them, and the guide lists them.
 * All rows say who pushed them: `owner` is the login, filled in by the server and never by who pushes.
 */

export interface Column {
  readonly name: string;
  readonly type: string;
  /** What the server fills in; such a column is never sent. */
  readonly fill?: string;
  readonly codec?: string;
  /** Settings of the column, after its codec. */
  readonly settings?: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** What tells two rows apart: of those that agree in it the one with the larger `version` stays. */
  readonly key: readonly string[];
  /** Rows of one month lie together. Small tables have none. */
  readonly partition?: string;
  /** Further lines of the definition: indexes. */
  readonly indexes?: readonly string[];
  /** Settings of the table. */
  readonly settings?: string;
  /** Whether rows go when the time of their class is over. */
  readonly expires: boolean;
}

const TEXT = 'String';
const NAME = 'LowCardinality(String)';
const TIME = "DateTime64(3, 'UTC')";
/** Long texts that resemble each other, from line to line and from session to session: packed in blocks of 16 MB. */
const PACKED = {
  codec: 'ZSTD(9, 24)',
  settings: 'min_compress_block_size = 16777216, max_compress_block_size = 16777216',
};

function column(name: string, type: string, more: Omit<Column, 'name' | 'type'> = {}): Column {
  return { name, type, ...more };
}

/** In every table that is pushed. */
const OWNER = column('owner', NAME, { fill: 'currentUser()' });
/** When it was pushed, in milliseconds. */
const VERSION = column('version', 'UInt64', { codec: 'Delta, ZSTD(1)' });
const ARRIVED = column('version', 'UInt64', { fill: 'toUnixTimestamp64Milli(now64(3))', codec: 'Delta, ZSTD(1)' });
/** 1: it was taken back; reading with FINAL passes over it. */
const DELETED = column('deleted', 'UInt8');
/** The class that decides how long it is kept, and the time that counts from. */
const KEPT = [column('retention', NAME), column('time', TIME, { codec: 'Delta, ZSTD(1)' })];
/** The session it belongs to, and the file: its path below the project's folder, `ID.jsonl` or `ID/subagents/agent-1.jsonl`. */
const PLACE = [column('session', TEXT), column('name', TEXT)];

/**
 * A row for every transcript and every small file beside it, of each machine it was pushed from. kind: as the archive has it.
 * slug: the project's folder. project: its path. outline, chat, title: as the archive has them, made of what was sent. body: of small files.
 * lines, size: of the transcript on that machine.
 */
const FILES: Table = {
  name: 'files',
  columns: [
    ...PLACE,
    column('machine', NAME),
    OWNER,
    column('person', NAME),
    column('kind', NAME),
    column('slug', NAME),
    column('project', NAME),
    column('agent', TEXT),
    column('content', NAME),
    ...KEPT,
    column('mtime', TIME),
    column('updated', `Nullable(${TIME})`),
    column('size', 'UInt64'),
    column('lines', 'UInt32'),
    column('digest', TEXT),
    column('chat', TEXT),
    column('title', TEXT),
    column('outline', TEXT, PACKED),
    column('body', TEXT, PACKED),
    VERSION,
    DELETED,
  ],
  key: ['session', 'name', 'owner', 'machine'],
  expires: true,
};

/** A row a line of a transcript, as it was sent. n: which line. id: its uuid, or a hash of its shape without content. */
const ENTRIES: Table = {
  name: 'entries',
  columns: [
    ...PLACE,
    column('n', 'UInt32', { codec: 'Delta, ZSTD(1)' }),
    column('id', TEXT),
    OWNER,
    column('person', NAME),
    column('type', NAME),
    column('content', NAME),
    ...KEPT,
    column('line', TEXT, PACKED),
    VERSION,
    DELETED,
  ],
  key: ['session', 'name', 'n', 'id', 'owner'],
  partition: 'toYYYYMM(time)',
  expires: true,
};

/**
 * A row for each part of an entry that can be found. identity: of the entry, the same for all its copies. place: which part.
 * said, role: as in views/search/parts.ts. copy: it repeats an entry. words: the text's words as views/search/words.ts has them, one space
 * before, between and after them. length: how many.
 */
const MESSAGES: Table = {
  name: 'messages',
  columns: [
    ...PLACE,
    column('n', 'UInt32', { codec: 'Delta, ZSTD(1)' }),
    column('place', 'UInt16'),
    OWNER,
    column('person', NAME),
    column('slug', NAME),
    column('agent', TEXT),
    column('identity', TEXT),
    column('said', NAME),
    column('role', NAME),
    column('copy', 'UInt8'),
    column('error', 'UInt8'),
    column('timed', 'UInt8'),
    column('model', NAME),
    column('branch', NAME),
    column('tool', NAME),
    column('file', TEXT),
    ...KEPT,
    // Read in the granules of what was found only: those are small, and so are its blocks.
    column('words', TEXT, {
      codec: 'ZSTD(9, 22)',
      settings: 'min_compress_block_size = 4194304, max_compress_block_size = 4194304',
    }),
    column('length', 'UInt32'),
    VERSION,
    DELETED,
  ],
  key: ['session', 'name', 'n', 'place', 'identity', 'owner'],
  partition: 'toYYYYMM(time)',
  indexes: ["INDEX by_word words TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking')"],
  settings: 'index_granularity_bytes = 1048576',
  expires: true,
};

/** A row a tool call. */
const TOOL_CALLS: Table = {
  name: 'tool_calls',
  columns: [
    ...PLACE,
    column('id', TEXT),
    OWNER,
    column('person', NAME),
    column('project', NAME),
    column('agent', TEXT),
    column('tool', NAME),
    column('status', NAME),
    column('model', NAME),
    column('message', TEXT),
    column('timed', 'UInt8'),
    ...KEPT,
    column('duration', 'Nullable(UInt64)'),
    column('input_bytes', 'UInt64'),
    column('result_bytes', 'UInt64'),
    column('result_chars', 'UInt64'),
    column('input_hash', 'UInt64'),
    VERSION,
    DELETED,
  ],
  key: ['session', 'name', 'id', 'owner'],
  partition: 'toYYYYMM(time)',
  expires: true,
};

/** A row for each message of a file that tells of usage, as disk/usage.ts counts it in that file. Copies in other files are joined when it is read. */
const USAGE: Table = {
  name: 'usage',
  columns: [
    ...PLACE,
    column('message', TEXT),
    column('request', TEXT),
    OWNER,
    column('person', NAME),
    column('machine', NAME),
    column('project', NAME),
    column('agent', TEXT),
    column('branch', NAME),
    column('model', NAME),
    column('tier', NAME),
    ...KEPT,
    column('timed', 'UInt8'),
    column('ended', 'UInt8'),
    column('sidechain', 'UInt8'),
    column('copy', 'UInt8'),
    column('fork', 'UInt8'),
    column('start', 'UInt64'),
    column('input', 'UInt64'),
    column('output', 'UInt64'),
    column('cache_creation', 'UInt64'),
    column('cache_read', 'UInt64'),
    column('cache_creation_5m', 'Nullable(UInt64)'),
    column('cache_creation_1h', 'Nullable(UInt64)'),
    column('web_searches', 'Nullable(UInt64)'),
    column('web_fetches', 'Nullable(UInt64)'),
    column('cost_recorded', 'Nullable(Float64)'),
    column('estimate', 'Nullable(UInt64)'),
    VERSION,
    DELETED,
  ],
  key: ['message', 'request', 'session', 'name', 'copy', 'start', 'owner'],
  expires: true,
};

/**
 * What its owner took back, session by session: nobody reads rows of it, and they are deleted. name: '' when a person did, else the
 * machine whose policy or archive did: each undoes its own. The server says which came last: the clocks of machines differ.
 */
const RECALLS: Table = {
  name: 'recalls',
  columns: [...PLACE, OWNER, column('reason', TEXT), column('undone', 'UInt8'), column('time', TIME), ARRIVED],
  key: ['owner', 'session', 'name'],
  expires: false,
};

/** Who belongs to which team; written by an administrator. */
const MEMBERS: Table = {
  name: 'members',
  columns: [column('login', TEXT), column('team', NAME), column('person', TEXT), column('removed', 'UInt8'), VERSION],
  key: ['login', 'team'],
  expires: false,
};

/** Limits of cost, by whom they are for. */
const BUDGETS: Table = {
  name: 'budgets',
  columns: [column('scope', NAME), column('name', TEXT), column('period', NAME), column('usd', 'Float64'), VERSION],
  key: ['scope', 'name', 'period'],
  expires: false,
};

/** What this database is: part `schema` is the number of the last step that was taken (steps.ts), part `access` tells roles and policies apart. */
const SCHEMA_VERSION: Table = {
  name: 'schema_version',
  columns: [column('part', TEXT), column('value', TEXT), VERSION],
  key: ['part'],
  expires: false,
};

/** schema_version first: a set-up that was broken off is known by it. */
export const TABLES: readonly Table[] = [
  SCHEMA_VERSION,
  FILES,
  ENTRIES,
  MESSAGES,
  TOOL_CALLS,
  USAGE,
  RECALLS,
  MEMBERS,
  BUDGETS,
];

/** Those that hold what was pushed. */
export const PUSHED = ['files', 'entries', 'messages', 'tool_calls', 'usage'] as const;
export type PushedTable = (typeof PUSHED)[number];

export function isPushed(name: string): name is PushedTable {
  return PUSHED.some((each) => each === name);
}

/** The columns that are sent: all but those the server fills in. */
export function sentColumns(table: Table): string[] {
  return table.columns.filter(({ fill }) => fill === undefined).map(({ name }) => name);
}
