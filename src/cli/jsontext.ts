/** JSON as every verb prints it. */

/** Acts on a terminal, and JSON.stringify leaves it as it is: controls above ASCII, and what turns the direction of a text. */
const ACTING = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

export function jsonText(value: unknown): string {
  return inertJson(JSON.stringify(value, null, 2));
}

/** The same JSON. Such characters stand only inside its strings, where an escape says the same. */
export function inertJson(text: string): string {
  return text.replace(ACTING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
