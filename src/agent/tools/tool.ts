/** What a tool is: everything the loop, the gate and the request need to know of it. */
import type { z } from 'zod';
import type { Json, JsonObject } from '../../format/json.ts';
import type { TurnEnd } from '../ports.ts';
import type { Tally } from '../turn/tally.ts';
import type { Sandbox, Shells } from './shell/types.ts';

export type { Shells } from './shell/types.ts';

export interface Tool {
  readonly name: string;
  /** Our own words for the model. */
  readonly description: string;
  /** As the API takes it. A tool that the server runs gives its whole definition here and never runs. */
  definition(): JsonObject & { readonly name: string };
  /** What is wrong with an input, in words the model can act on. */
  refuse(input: JsonObject): string | undefined;
  /** It changes files, starts processes or reaches out: the gate asks. */
  readonly acts: 'reads' | 'writes' | 'runs' | 'fetches' | 'notes';
  /**
   * A person has to answer, whatever rules and modes allow; `alone` is told where there is none. `isOpen`: with more than yes or
   * no, so that a hook's mere yes is none.
   */
  readonly question?: { readonly alone: string; readonly isOpen?: boolean };
  /** Calls that may run beside each other. */
  parallel(input: JsonObject): boolean;
  /** The file or folder it is about, for rules and history. */
  path?(input: JsonObject): string | undefined;
  /** Never throws: what goes wrong is an outcome with `isError`. */
  run(input: JsonObject, host: ToolHost): Promise<ToolOutcome>;
}

export interface ToolOutcome {
  /** What the model is told. */
  readonly content: string | readonly JsonObject[];
  /** `toolUseResult`, in the shape of the format (E6, seeds 7.3); an error is a plain string. */
  readonly result: Json;
  readonly isError?: boolean;
  /** Further fields of the result's line, such as a call of an MCP server leaves. */
  readonly beside?: JsonObject;
  /** Lines that come after the result. */
  readonly follow?: readonly Follow[];
  /** The turn ends with it: what was asked for, and in words. */
  readonly ends?: { readonly value: Json; readonly words: string };
}

/** What is told to the model beside a prompt or a result. */
export type Follow =
  /** Words of ours as if the user had said them. */
  | { readonly kind: 'meta'; readonly content: readonly JsonObject[]; readonly sourceToolUseID?: string }
  | { readonly kind: 'attachment'; readonly attachment: JsonObject; readonly rendered: readonly string[] };

export interface ToolSpec<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly acts: Tool['acts'];
  readonly parallel?: boolean | ((input: Input) => boolean);
  path?(input: Input): string | undefined;
  run(input: Input, host: ToolHost): Promise<ToolOutcome>;
}

/** What a running call has around it. */
export interface ToolHost {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Tells how far it is, now and then. */
  progress(data: JsonObject): void;
  readonly session: ToolSession;
  /** The turn it is a call of: what an agent uses and is denied counts there. */
  readonly turn?: {
    readonly tally: Tally;
    readonly denials: TurnEnd['denials'][number][];
    readonly ask: { readonly model: string };
  };
}

/** What tools remember from call to call in one session. */
export interface ToolSession {
  /** Where relative paths and commands start; `cd` in Bash moves it. */
  cwd: string;
  /** Where the session began: what is tracked for rewinding is named relative to it. */
  readonly root: string;
  /** Folders besides `root` that belong to the work. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: FileMemory;
  readonly shells: Shells;
  todos: readonly JsonObject[];
  /** A rule forbids to read it. Undefined where no rule does. */
  hides?: ((path: string) => boolean) | undefined;
  /** What files of instructions say about a file that was read, each folder's once to whoever reads in this session. */
  instructionsFor?(path: string, reader: ToolSession): readonly Follow[];
  /** What commands are run in. */
  sandbox?: Sandbox | undefined;
  /** Keeps what is too long to send; gives the path it lies at (`tool-results/`). */
  spill(toolUseId: string, text: string): string;
  /** Keeps a file as it is before the call changes it, so that a rewind can bring it back. */
  backup(path: string, toolUseId: string): void;
  readonly limits: ToolLimits;
}

/** What was read, as it was: an edit of a file that changed since is refused. */
export interface FileMemory {
  get(path: string): FileSeen | undefined;
  set(path: string, seen: FileSeen): void;
}

export interface FileSeen {
  readonly mtimeMs: number;
  readonly size: number;
  /** Only a part of it was shown. */
  readonly partial: boolean;
  /** SHA-256 of its bytes, where all were read: a file that was only touched is still the same. */
  readonly digest?: string;
}

export interface ToolLimits {
  readonly bashTimeoutMs: number;
  readonly bashMaxTimeoutMs: number;
  /** Characters of a result before the rest is spilled. */
  readonly outputChars: number;
  /** WebFetch may ask addresses of this machine and its networks. */
  readonly privateAddresses: boolean;
}

export function failed(message: string): ToolOutcome {
  return { content: message, result: `Error: ${message}`, isError: true };
}
