/** A change of a file, with the line numbers before and after. */
import { useState } from 'preact/hooks';
import type { Hunk } from '../../src/graph/toolresults/files.ts';
import { Scroll } from './Scroll.tsx';
import { Text } from './Text.tsx';

const MOST_LINES = 300;

interface DiffLine {
  readonly mark: '+' | '-' | ' ';
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
}

export function Diff({ hunks, path }: { readonly hunks: readonly Hunk[]; readonly path: string }) {
  const [most, setMost] = useState(MOST_LINES);
  const all = hunks.map(linesOf);
  const total = all.reduce((sum, lines) => sum + lines.length, 0);
  let room = most;
  return (
    <Scroll class="diff" label={`Change of ${path}`}>
      <table>
        {all.map((lines, place) => {
          const shown = lines.slice(0, Math.max(0, room));
          room -= shown.length;
          return (
            <tbody key={place}>
              {shown.map((line, at) => (
                <Line key={at} {...line} />
              ))}
            </tbody>
          );
        })}
      </table>
      {total > most && (
        <button type="button" class="button long-more" onClick={() => setMost(most * 8)}>
          Show more: {total - most} lines are left
        </button>
      )}
    </Scroll>
  );
}

const WORDS = { '+': 'added', '-': 'removed', ' ': '' } as const;

function Line({ mark, text, before, after }: DiffLine) {
  return (
    <tr class={mark === '+' ? 'added' : mark === '-' ? 'removed' : undefined}>
      <td class="diff-number">{before}</td>
      <td class="diff-number">{after}</td>
      <td class="diff-mark">
        <span aria-hidden="true">{mark}</span>
        {mark !== ' ' && <span class="visually-hidden">{WORDS[mark]}</span>}
      </td>
      <td class="diff-text">
        <code>
          <Text text={text} />
        </code>
      </td>
    </tr>
  );
}

function linesOf(hunk: Hunk): DiffLine[] {
  let before = hunk.oldStart;
  let after = hunk.newStart;
  return hunk.lines
    .filter((line) => !line.startsWith('\\'))
    .map((line): DiffLine => {
      const text = line.slice(1);
      if (line.startsWith('+')) return { mark: '+', text, before: null, after: after++ };
      if (line.startsWith('-')) return { mark: '-', text, before: before++, after: null };
      return { mark: ' ', text, before: before++, after: after++ };
    });
}

/** +3 −1 */
export function diffCounts(hunks: readonly Hunk[]): { readonly added: number; readonly removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}
