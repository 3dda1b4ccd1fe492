/** The placeholders that stand where secrets stood (src/redact/placeholder.ts), told from other text in brackets. */
import { withControls } from './controls.ts';

/** Every kind the rules know: put in when the page is built (scripts/build-web.ts). */
declare const SECRET_KINDS: readonly string[];

export interface SecretPlace {
  readonly placeholder: string;
  /** For people: `aws key`. */
  readonly kind: string;
}

const PLACEHOLDER = new RegExp(`\\[(${SECRET_KINDS.join('|')})(?::[0-9a-f]{4})?\\]`, 'g');

/** Text as it is to be seen and placeholders in turn. */
export function splitSecrets(raw: string): (string | SecretPlace)[] {
  const text = withControls(raw);
  if (!text.includes('[')) return [text];
  const parts: (string | SecretPlace)[] = [];
  let from = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push({ placeholder: match[0], kind: (match[1] ?? '').replaceAll('-', ' ') });
    from = match.index + match[0].length;
  }
  if (from < text.length || parts.length === 0) parts.push(text.slice(from));
  return parts;
}
