/** Problems as one line each: which file, where in it, what and what follows. */
import type { Problem, Settings } from './types.ts';

export interface ProblemLine {
  readonly problem: Problem;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly quiet: boolean;
}

export async function problemLines({ problems, files }: Settings): Promise<ProblemLine[]> {
  if (problems.length === 0) return [];
  const { placeOf } = await import('./text.ts');
  return problems.map((problem) => {
    const { file, source, at, what, quiet = false } = problem;
    const text = files.find((each) => each.file === file && each.source === source)?.text ?? '';
    const { line, column } = placeOf(text, at);
    return { problem, line, column, text: `${file}:${line}:${column}: ${what}`, quiet };
  });
}
