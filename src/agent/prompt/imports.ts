/** `@path` in a memory file brings another file in. Code is left alone, depth and circles are cut. */

/** A line of the file that opens and closes a block of code, or the text of a span. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const IMPORT = /(^|\s)@((?:\\ |[^\s@`])+)/g;

/** The paths that a text imports, as they stand there. */
export function importsOf(text: string): string[] {
  return proseOf(text).flatMap((line) =>
    [...line.matchAll(IMPORT)]
      .map(([, , path = '']) => path.replaceAll('\\ ', ' ').replace(/[.,;:!?)]+$/, ''))
      .filter(isPath),
  );
}

/** A mail address, a package (`@scope/name`) and a mention are no files: those begin like a path or have an ending. */
function isPath(path: string): boolean {
  return /^(?:~?\/|\.{1,2}\/)./.test(path) || /^[\w-].*\.\w+$/.test(path);
}

/** Lines outside of fenced code, without spans of code. */
function proseOf(text: string): string[] {
  let open: string | undefined;
  return text.split('\n').flatMap((line) => {
    const fence = FENCE.exec(line)?.[1];
    if (open !== undefined) {
      if (fence?.startsWith(open) && line.trim() === fence) open = undefined;
      return [];
    }
    if (fence !== undefined) {
      open = fence;
      return [];
    }
    return [line.replace(/(`+)(?:(?!\1).)*\1/g, '')];
  });
}
