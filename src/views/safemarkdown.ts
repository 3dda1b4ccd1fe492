/** An answer inside a larger Markdown page: its fences are closed, its headings stand below ours, its HTML is text. */

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const DEEPEST = 6;
const BELOW = 2;

export function nestedMarkdown(text: string): string {
  let open: string | undefined;
  const lines = text.split('\n').map((line) => {
    const fence = FENCE.exec(line)?.[1];
    if (open !== undefined) {
      if (fence?.startsWith(open)) open = undefined;
      return line;
    }
    if (fence !== undefined) {
      open = fence;
      return line;
    }
    return plainLine(line);
  });
  return open === undefined ? lines.join('\n') : [...lines, open].join('\n');
}

function plainLine(line: string): string {
  const heading = /^(#{1,6})(\s.*)$/.exec(line);
  const demoted = heading ? `${'#'.repeat(Math.min(DEEPEST, (heading[1] ?? '').length + BELOW))}${heading[2]}` : line;
  // What stands between backticks is shown as it is; anywhere else a tag would be markup.
  return demoted
    .split(/(`+[^`]*`+)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/<(?=[a-zA-Z/!?])/g, '&lt;')))
    .join('');
}
