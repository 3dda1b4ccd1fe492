/** `toolUseResult` of the tools that look something up or ask: files, the web, the person, the list of tasks. */
import {
  asArray,
  asBoolean,
  asNumber,
  asObject,
  asString,
  isObject,
  type Json,
  type JsonObject,
} from '../../format/json.ts';

export interface GlobResult {
  readonly kind: 'glob';
  readonly filenames: readonly string[];
  readonly numFiles?: number;
  readonly truncated?: boolean;
  readonly durationMs?: number;
}

export interface GrepResult {
  readonly kind: 'grep';
  /** content, files_with_matches or count */
  readonly mode?: string;
  readonly filenames: readonly string[];
  readonly content?: string;
  readonly numFiles?: number;
  readonly numLines?: number;
  readonly numMatches?: number;
}

export interface WebFetchResult {
  readonly kind: 'web_fetch';
  readonly url?: string;
  readonly code?: number;
  readonly bytes?: number;
  readonly result: string;
  readonly durationMs?: number;
}

export interface WebSearchResult {
  readonly kind: 'web_search';
  readonly query: string;
  readonly hits: readonly { readonly title: string; readonly url: string }[];
  /** What the search said besides its hits. */
  readonly comments: readonly string[];
  readonly durationSeconds?: number;
}

export interface Todo {
  readonly content: string;
  readonly status: string;
  readonly activeForm?: string;
}

export interface TodoResult {
  readonly kind: 'todo';
  readonly oldTodos: readonly Todo[];
  readonly newTodos: readonly Todo[];
}

export interface QuestionResult {
  readonly kind: 'question';
  readonly questions: readonly {
    readonly question: string;
    readonly header?: string;
    readonly options: readonly string[];
  }[];
  /** The answer to each question, by its text. */
  readonly answers: readonly { readonly question: string; readonly answer: string }[];
}

export interface PlanResult {
  readonly kind: 'plan';
  /** null: the plan stands in the file. */
  readonly plan: string | null;
  readonly filePath?: string;
  readonly isAgent?: boolean;
}

export function globResult(result: JsonObject): GlobResult | undefined {
  if (!Array.isArray(result.filenames)) return undefined;
  return {
    kind: 'glob',
    filenames: strings(result.filenames),
    numFiles: asNumber(result.numFiles),
    truncated: asBoolean(result.truncated),
    durationMs: asNumber(result.durationMs),
  };
}

export function grepResult(result: JsonObject): GrepResult | undefined {
  if (result.mode === undefined && !Array.isArray(result.filenames)) return undefined;
  return {
    kind: 'grep',
    mode: asString(result.mode),
    filenames: strings(result.filenames),
    content: asString(result.content),
    numFiles: asNumber(result.numFiles),
    numLines: asNumber(result.numLines),
    numMatches: asNumber(result.numMatches),
  };
}

export function webFetchResult(result: JsonObject): WebFetchResult | undefined {
  const text = asString(result.result);
  if (text === undefined) return undefined;
  return {
    kind: 'web_fetch',
    url: asString(result.url),
    code: asNumber(result.code),
    bytes: asNumber(result.bytes),
    result: text,
    durationMs: asNumber(result.durationMs),
  };
}

export function webSearchResult(result: JsonObject): WebSearchResult | undefined {
  const query = asString(result.query);
  if (query === undefined) return undefined;
  const results = asArray(result.results) ?? [];
  const hits = results.filter(isObject).flatMap((item) => (asArray(item.content) ?? []).filter(isObject));
  return {
    kind: 'web_search',
    query,
    hits: hits.map((hit) => ({ title: asString(hit.title) ?? '', url: asString(hit.url) ?? '' })),
    comments: strings(results),
    durationSeconds: asNumber(result.durationSeconds),
  };
}

export function todoResult(result: JsonObject): TodoResult | undefined {
  if (!Array.isArray(result.newTodos)) return undefined;
  return { kind: 'todo', oldTodos: toTodos(result.oldTodos), newTodos: toTodos(result.newTodos) };
}

function toTodos(todos: Json | undefined): Todo[] {
  return (asArray(todos) ?? []).filter(isObject).map((todo) => ({
    content: asString(todo.content) ?? '',
    status: asString(todo.status) ?? '',
    activeForm: asString(todo.activeForm),
  }));
}

export function questionResult(result: JsonObject): QuestionResult | undefined {
  if (!Array.isArray(result.questions)) return undefined;
  const answers = Object.entries(asObject(result.answers) ?? {});
  return {
    kind: 'question',
    questions: result.questions.filter(isObject).map((question) => ({
      question: asString(question.question) ?? '',
      header: asString(question.header),
      options: (asArray(question.options) ?? []).filter(isObject).map((option) => asString(option.label) ?? ''),
    })),
    answers: answers.map(([question, answer]) => ({ question, answer: toAnswer(answer) })),
  };
}

function toAnswer(answer: Json | undefined): string {
  return asString(answer) ?? strings(answer).join(', ');
}

export function planResult(result: JsonObject): PlanResult | undefined {
  const plan = result.plan === null ? null : asString(result.plan);
  if (plan === undefined) return undefined;
  return { kind: 'plan', plan, filePath: asString(result.filePath), isAgent: asBoolean(result.isAgent) };
}

function strings(items: Json | undefined): string[] {
  return (asArray(items) ?? []).filter((item) => typeof item === 'string');
}
