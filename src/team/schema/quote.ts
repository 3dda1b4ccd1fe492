/** Names and texts in a statement that takes no parameters, as definitions and grants do not. */

/** A name, in backquotes unless it is a plain word. */
export function named(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
