/** The hunks of an edit as `toolUseResult.structuredPatch` has them: three lines of context, no file headers. */

export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each with ` `, `-` or `+` in front. */
  lines: string[];
}

interface Step {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

const CONTEXT = 3;

export function structuredPatch(before: string, after: string): Hunk[] {
  const steps = diffLines(linesOf(before), linesOf(after));
  const near = steps.map((_, index) =>
    steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((step) => step.sign !== ' '),
  );
  const hunks: Hunk[] = [];
  let oldLine = 1;
  let newLine = 1;
  let open: Hunk | undefined;
  for (const [index, step] of steps.entries()) {
    if (!near[index]) open = undefined;
    else if (open === undefined) {
      open = { oldStart: oldLine, oldLines: 0, newStart: newLine, newLines: 0, lines: [] };
      hunks.push(open);
    }
    const inOld = step.sign !== '+' ? 1 : 0;
    const inNew = step.sign !== '-' ? 1 : 0;
    if (open !== undefined) {
      open.lines.push(step.sign + step.text);
      open.oldLines += inOld;
      open.newLines += inNew;
    }
    oldLine += inOld;
    newLine += inNew;
  }
  return hunks;
}

export function countChanges(hunks: readonly Hunk[]): { added: number; removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Longest common subsequence; the files of the demo are small. */
function diffLines(before: readonly string[], after: readonly string[]): Step[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const [was, is] = [before[i], after[j]];
    if (was !== undefined && was === is) {
      steps.push({ sign: ' ', text: was });
      i += 1;
      j += 1;
    } else if (was !== undefined && (is === undefined || at(i + 1, j) >= at(i, j + 1))) {
      steps.push({ sign: '-', text: was });
      i += 1;
    } else {
      steps.push({ sign: '+', text: is ?? '' });
      j += 1;
    }
  }
  return steps;
}
