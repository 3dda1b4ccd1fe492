/** Lines of a file as the client numbers them for the model: `     1→text`, with a tab in older clients. */

export interface Numbered {
  readonly startLine: number;
  /** Without the numbers. */
  readonly text: string;
  /** What the client said after it, such as a reminder. */
  readonly rest: string;
}

const LINE = /^ {0,9}(\d{1,9})[→\t](.*)$/;

/** undefined where the text does not begin with such lines; a number that does not follow the one before ends them. */
export function numberedLines(text: string): Numbered | undefined {
  const lines = text.split('\n');
  const code: string[] = [];
  let startLine: number | undefined;
  for (const line of lines) {
    const [, number, content = ''] = LINE.exec(line) ?? [];
    if (number === undefined) break;
    startLine ??= Number(number);
    if (Number(number) !== startLine + code.length) break;
    code.push(content);
  }
  if (startLine === undefined) return undefined;
  return { startLine, text: code.join('\n'), rest: lines.slice(code.length).join('\n').trim() };
}
