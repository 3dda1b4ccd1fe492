/** Characters that are not seen but change what is: a command could read otherwise than it ran. They are shown by name. */

/** Direction overrides and isolates; control characters but for tab and line breaks. */
const HIDDEN = /[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

export function withControls(text: string): string {
  return text.replace(HIDDEN, nameOf);
}

function nameOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x7f) return '␡';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return `⟨U+${code.toString(16).toUpperCase()}⟩`;
}
