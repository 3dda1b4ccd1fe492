/** What may leave this machine, as its files say it. docs/schema/team-policy.schema.json has the same for editors. */
import type { Content } from '../rows.ts';

/** As one file has it: what it does not say is undefined. */
export interface PolicyFile {
  readonly path: string;
  readonly managed: boolean;
  readonly content?: Content;
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
  /** How projects are called where no content leaves. */
  readonly names?: 'path' | 'pseudonym';
  /** By pattern, in the order written; `default` for all others. */
  readonly retention: readonly (readonly [pattern: string, kept: string])[];
  /** 'pseudonym' or the name. */
  readonly person?: string;
  readonly machine?: string;
}

/** What holds. */
export interface Policy {
  readonly files: readonly PolicyFile[];
  readonly content: Content;
  readonly names: 'path' | 'pseudonym';
  /** undefined: a pseudonym. */
  readonly person: string | undefined;
  readonly machine: string | undefined;
}

export const CONTENTS = ['none', 'masked', 'full'] as const satisfies readonly Content[];
