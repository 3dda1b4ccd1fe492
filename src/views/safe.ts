/** Text from transcripts made safe to print: control characters, escapes and direction overrides cannot drive a terminal. */
const ESCAPE_SEQUENCES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[@-Z\\-_])/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Keeps line breaks and tabs. */
export function safeText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(ESCAPE_SEQUENCES, '').replace(CONTROLS, '');
}

/** One line: breaks and tabs become spaces too. */
export function safeLine(text: string): string {
  return safeText(text).replace(/[\n\t\u2028\u2029]+/g, ' ');
}
