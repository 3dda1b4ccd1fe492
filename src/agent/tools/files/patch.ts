/** `structuredPatch` as the format has it: hunks with three lines around each change. */
import type { StructuredPatchHunk } from 'diff';
import type { JsonObject } from '../../../format/json.ts';

const CONTEXT = 3;
/** Two long texts with little in common take for ever to compare line by line. */
const MOST_MS = 1000;

export async function patchOf(before: string, after: string, timeout = MOST_MS): Promise<JsonObject[]> {
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('a', 'b', before, after, undefined, undefined, { context: CONTEXT, timeout });
  return patch === undefined ? [allOf(before, after)] : patch.hunks.map(toHunk);
}

function toHunk({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): JsonObject {
  return { oldStart, oldLines, newStart, newLines, lines };
}

/** Everything taken out, everything put in. */
function allOf(before: string, after: string): JsonObject {
  const [old, now] = [linesOf(before), linesOf(after)];
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: now.length,
    lines: [...marked(old, before, '-'), ...marked(now, after, '+')],
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function marked(lines: readonly string[], text: string, mark: string): string[] {
  const made = lines.map((line) => mark + line);
  return text === '' || text.endsWith('\n') ? made : [...made, '\\ No newline at end of file'];
}
