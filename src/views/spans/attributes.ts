/** Attributes of a span before they are written as OTLP. What is null or undefined is left out. */
import type { Content } from './types.ts';

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type Loose = Readonly<Record<string, AttributeValue | null | undefined>>;

export function attributesOf(values: Loose): Attributes {
  const found: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(values)) if (isSendable(value)) found[name] = value;
  return found;
}

/** JSON has no word for Infinity, which a damaged line can hold. */
function isSendable(value: AttributeValue | null | undefined): value is AttributeValue {
  if (value === null || value === undefined) return false;
  return typeof value === 'number' ? Number.isFinite(value) : !Array.isArray(value) || value.length > 0;
}

/** Tokens as whole numbers: servers refuse others. */
export function wholeCount(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

/** Each key with a prefix. */
export function under(prefix: string, values: Loose): Loose {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}

/** A text as it is, anything else as JSON. */
export function jsonText(content: Content | null): string | null {
  if (content?.type !== 'json') return null;
  return typeof content.value === 'string' ? content.value : JSON.stringify(content.value);
}
