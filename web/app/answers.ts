/** What the server answers, beside the shapes of src/views/page/types.ts. */
import type { PageTurn } from '../../src/views/page/types.ts';
import type { BudgetState } from '../../src/views/usage/budgets.ts';
import type { Explained, PartSum } from '../../src/views/usage/explain.ts';
import type { Habit } from '../../src/views/usage/habits.ts';
import type { reportJson } from '../../src/views/usage/json.ts';
import type { ToolSums } from '../../src/views/usage/tools.ts';

export interface TurnsAnswer {
  readonly version: string;
  readonly turns: readonly PageTurn[];
}

/** `skein search --json`, with the titles of the chats. */
export interface SearchAnswer {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly engine: string;
  readonly scanned: unknown;
  readonly hits: readonly SearchHit[];
}

export interface SearchHit {
  readonly uuid: string | null;
  readonly chat: string | null;
  readonly title: string | null;
  readonly session: string | null;
  readonly agent: string | null;
  readonly role: string;
  readonly where: string;
  readonly tool: string | null;
  readonly error: boolean;
  readonly snippet: string;
  /** Places of the matched words in the snippet: from, to. */
  readonly highlights: readonly (readonly [number, number])[];
  readonly time: string | null;
  readonly file: string;
  readonly cwd: string | null;
}

/** `skein usage --json` */
export type UsageAnswer = ReturnType<typeof reportJson> & {
  readonly prices?: { readonly name: string; readonly date: string };
};

/** The same with `by=tool`. */
export interface ToolsAnswer {
  readonly totals: ToolSums;
  readonly rows: readonly (ToolSums & { readonly key: { readonly tool: string } })[];
}

/** `skein team usage --json` */
export interface TeamUsageAnswer {
  /** By team, person, project and model. */
  readonly tables: readonly Pick<UsageAnswer, 'by' | 'rows'>[];
  readonly budgets: readonly BudgetState[];
  readonly habits: readonly Habit[];
}

export interface ExplainAnswer {
  readonly total: number;
  readonly skip: number;
  /** What all of them cost, by kind of token. */
  readonly parts: readonly PartSum[];
  readonly messages: readonly Explained[];
}

export interface StatusAnswer {
  /** What the server does beside answering, such as taking new sessions into the archive; null when nothing. */
  readonly working: string | null;
}

export type EditVerb = 'slim' | 'clone' | 'repair';

export interface EditRequest {
  readonly verb: EditVerb;
  /** Without it the one that a resume goes on from. */
  readonly session?: string;
  readonly options: Readonly<Record<string, string | true>>;
  /** Only says what it would do. */
  readonly dryRun: boolean;
}

/** What the verb says with --json, and the chat the new session stands in. */
export interface EditAnswer {
  readonly sessionId: string;
  readonly title: string | null;
  readonly before: EditSize;
  readonly after: EditSize & {
    readonly agents: number;
    readonly toolResults: number;
    readonly checkpoints: number;
    /** Of a slim: which one was taken, and what each would leave. */
    readonly preset?: string;
    readonly presets?: readonly { readonly name: string; readonly tokens: number }[];
    readonly toolTurns?: number;
    readonly wholeTurns?: number;
    readonly removedCalls?: number;
    /** Of a repair that has nothing to do: 0. */
    readonly findings?: number;
  };
  readonly notes: readonly { readonly rule: string; readonly what: string; readonly line?: number }[];
  readonly resume: string;
  readonly chat: string | null;
}

export interface EditSize {
  readonly lines: number;
  readonly turns: number;
  readonly bytes: number;
  readonly tokens?: number;
  /** The API counted them. */
  readonly recorded?: boolean;
  readonly kinds?: Readonly<Record<string, number>>;
}
