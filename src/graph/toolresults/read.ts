/** The client's structured record of a tool result (E6, E16), typed by tool. What is not known is kept as it is. */
import { type Block, toBlocks } from '../../format/content.ts';
import { isObject, type Json, type JsonObject } from '../../format/json.ts';
import {
  type AgentResult,
  agentResult,
  type BashOutputResult,
  type BashResult,
  bashOutputResult,
  bashResult,
  type SkillResult,
  skillResult,
} from './commands.ts';
import {
  type EditResult,
  editResult,
  type NotebookEditResult,
  notebookEditResult,
  type ReadResult,
  readResult,
  type WriteResult,
  writeResult,
} from './files.ts';
import {
  type GlobResult,
  type GrepResult,
  globResult,
  grepResult,
  type PlanResult,
  planResult,
  type QuestionResult,
  questionResult,
  type TodoResult,
  todoResult,
  type WebFetchResult,
  type WebSearchResult,
  webFetchResult,
  webSearchResult,
} from './lookups.ts';

/** A plain string: the error's text, or an old tool's whole answer. */
export interface TextResult {
  readonly kind: 'text';
  readonly text: string;
}
export interface McpResult {
  readonly kind: 'mcp';
  readonly content: readonly Block[];
}
/** Copies made by a 1.0.x resume, and some newer versions, have no record. */
export interface NoResult {
  readonly kind: 'none';
}
export interface OtherResult {
  readonly kind: 'other';
}

type KnownResult =
  | ReadResult
  | WriteResult
  | EditResult
  | NotebookEditResult
  | BashResult
  | BashOutputResult
  | AgentResult
  | SkillResult
  | GlobResult
  | GrepResult
  | WebFetchResult
  | WebSearchResult
  | TodoResult
  | QuestionResult
  | PlanResult;

/** What is known of a result, and the record as written. */
export type ToolResult = (KnownResult | McpResult | TextResult | NoResult | OtherResult) & {
  readonly raw: Json | undefined;
};

const READERS: ReadonlyMap<string, (result: JsonObject) => KnownResult | undefined> = new Map<
  string,
  (result: JsonObject) => KnownResult | undefined
>([
  ['Read', readResult],
  ['Write', writeResult],
  ['Edit', editResult],
  ['MultiEdit', editResult],
  ['NotebookEdit', notebookEditResult],
  ['Bash', bashResult],
  ['BashOutput', bashOutputResult],
  ['TaskOutput', bashOutputResult],
  ['Task', agentResult],
  ['Agent', agentResult],
  ['Skill', skillResult],
  ['Glob', globResult],
  ['Grep', grepResult],
  ['WebFetch', webFetchResult],
  ['WebSearch', webSearchResult],
  ['TodoWrite', todoResult],
  ['AskUserQuestion', questionResult],
  ['ExitPlanMode', planResult],
]);

export function toToolResult(tool: string, raw: Json | undefined): ToolResult {
  if (raw === undefined || raw === null) return { kind: 'none', raw };
  if (typeof raw === 'string') return { kind: 'text', text: raw, raw };
  if (isObject(raw)) {
    // Old transcripts write every file this way, whatever the tool (E16).
    const known = READERS.get(tool)?.(raw) ?? (raw.type === 'file' ? readResult(raw) : undefined);
    if (known) return { ...known, raw };
  }
  const content = tool.startsWith('mcp__')
    ? toBlocks(Array.isArray(raw) ? raw : isObject(raw) ? raw.content : undefined)
    : [];
  return content.length > 0 ? { kind: 'mcp', content, raw } : { kind: 'other', raw };
}
