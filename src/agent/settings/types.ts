/** The words of settings: where they come from, and what is made of them. */
import type { Json, JsonObject } from '../../format/json.ts';

/** The strongest first: its values win. */
export const SOURCES = ['managed', 'flag', 'local', 'project', 'user'] as const;
export type Source = (typeof SOURCES)[number];

/** The client's names, as records of decisions have them. */
export const CLIENT_NAMES: Readonly<Record<Source, string>> = {
  managed: 'policySettings',
  flag: 'flagSettings',
  local: 'localSettings',
  project: 'projectSettings',
  user: 'userSettings',
};

export type Path = readonly (string | number)[];

export interface SettingsFile {
  readonly source: Source;
  /** Its path; `--settings` where it was given as text. */
  readonly file: string;
  readonly text: string;
  /** Without what was left out of it. */
  readonly value: JsonObject;
  /** Where the paths of its rules start. */
  readonly root: string;
}

export interface Problem {
  readonly source: Source;
  readonly file: string;
  /** In words, with what happens because of it. */
  readonly what: string;
  /** The value it is about, or the character where the text is no JSON. */
  readonly at: Path | number;
  /** Only told to those who ask: nothing that was meant for us is lost. */
  readonly quiet?: boolean;
}

/** From 1, as editors count. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface SettingRule {
  readonly text: string;
  readonly behaviour: 'allow' | 'ask' | 'deny';
  readonly from: Source;
  /** As the permission engine takes it. */
  readonly source: { readonly name: string; readonly where: string; readonly root: string };
}

export interface HookSetting {
  readonly event: string;
  /** Which tools, sources or triggers; all when empty. */
  readonly matcher: string;
  readonly command: string;
  readonly timeoutMs?: number;
  /** Nobody waits for it. */
  readonly isAsync: boolean;
  readonly from: Source;
  /** Asked instead of running the command: the program that drives us. Never rejects. */
  readonly call?: HookCall;
}

/** What a hook would have printed, and how it would have ended. */
export type HookCall = (
  event: { readonly name: string; readonly input: JsonObject; readonly toolUseId: string },
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<{
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  readonly why: 'exit' | 'timeout' | 'interrupt' | 'failed';
}>;

export interface Settings {
  /** Those that are there, the strongest first. */
  readonly files: readonly SettingsFile[];
  readonly problems: readonly Problem[];
  readonly rules: readonly SettingRule[];
  /** In the order they stand, the weakest source first. */
  readonly hooks: readonly HookSetting[];
  /** For tools, hooks and ourselves; stronger than the environment, as in the client. */
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly mode?: string;
  readonly bypassDisabled: boolean;
  /** What is said of the sandbox; a project that nobody trusts can only ask for it. */
  readonly sandbox: JsonObject;
  /** Further folders of the work, resolved. */
  readonly folders: readonly string[];
  /** What a person must know of what was not taken. */
  readonly notices: readonly string[];
  /** Any key, by its path: what holds. */
  get(path: Path): Json | undefined;
}
