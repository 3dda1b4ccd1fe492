/** What chats are marked with, as filters: those that some chat has. */
import type { ChatRow } from '../../src/views/page/types.ts';
import { go, type Route, withParams } from '../app/router.ts';
import { MARK_WORDS, MarkSign } from './Marks.tsx';
import { MARKS, parseFilter, withMark } from './rows.ts';

export interface MarkFiltersProps {
  readonly chats: readonly ChatRow[];
  readonly route: Route;
  /** Of each button. */
  readonly class: string;
}

export function MarkFilters({ chats, route, class: name }: MarkFiltersProps) {
  const { filter = '' } = route.params;
  const chosen = parseFilter(filter).marks;
  const counts = MARKS.map((mark) => [mark, chats.filter(({ marks }) => marks.includes(mark)).length] as const);
  return (
    <>
      {counts
        .filter(([mark, count]) => count > 0 || chosen.includes(mark))
        .map(([mark, count]) => (
          <button
            type="button"
            key={mark}
            class={name}
            aria-pressed={chosen.includes(mark)}
            onClick={() => go(withParams(route, { filter: withMark(filter, mark) }), { replace: true })}
          >
            <MarkSign mark={mark} />
            <span class="project-name">{MARK_WORDS[mark].label}</span>
            <span class="project-count number">{count}</span>
          </button>
        ))}
    </>
  );
}
