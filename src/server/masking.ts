/**
 * Everything that is sent passes here. One masker for the whole run: a secret learnt in one chat is masked in all. What was
 * masked is remembered by chat, so that a person can see it with a click.
 */
import { maskJsonText } from '../redact/json.ts';
import { createMasker } from '../redact/masker.ts';
import type { Mask } from '../views/options.ts';

export interface Masking {
  /** `scope` is the chat it is of, or whatever else was asked. */
  of(scope: string): ScopedMasking;
  /** What stood where the placeholder stands: several where it does not tell them apart. */
  secretsOf(placeholder: string, scope: string): readonly string[];
}

export interface ScopedMasking {
  readonly mask: Mask;
  readonly revealed: boolean;
  /** The JSON of a value, every string of it masked. */
  json(value: unknown): string;
}

/** Shown as it is, because a person asked for that. */
export const REVEALED: ScopedMasking = {
  mask: (text) => text,
  revealed: true,
  json: (value) => JSON.stringify(value),
};

const MOST_SCOPES = 200;
const MOST_IN_SCOPE = 2000;

export function createMasking(): Masking {
  const scopes = new Map<string, Map<string, Set<string>>>();
  let current = '';
  const masker = createMasker({
    onMasked: (placeholder, secret) => {
      const found = scopes.get(current) ?? new Map<string, Set<string>>();
      if (!found.has(placeholder) && found.size >= MOST_IN_SCOPE) return;
      found.set(placeholder, (found.get(placeholder) ?? new Set()).add(secret));
      // Asked for last, forgotten last.
      scopes.delete(current);
      scopes.set(current, found);
      const [oldest] = scopes.keys();
      if (scopes.size > MOST_SCOPES && oldest !== undefined) scopes.delete(oldest);
    },
  });
  const within = <T>(scope: string, call: () => T): T => {
    const before = current;
    current = scope;
    try {
      return call();
    } finally {
      current = before;
    }
  };
  return {
    of: (scope) => ({
      revealed: false,
      mask: Object.assign((text: string) => within(scope, () => masker.mask(text)), { learnt: () => masker.learnt }),
      json: (value) => within(scope, () => maskJsonText(JSON.stringify(value), masker)),
    }),
    secretsOf: (placeholder, scope) => [...(scopes.get(scope)?.get(placeholder) ?? [])],
  };
}
