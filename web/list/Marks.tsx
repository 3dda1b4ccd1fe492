/** What a chat is marked with, as small signs with a word for those who do not see them. */
import type { Mark } from '../../src/views/page/types.ts';

export const MARK_WORDS: Readonly<Record<Mark, { readonly label: string; readonly what: string }>> = {
  live: { label: 'Live', what: 'written to a moment ago' },
  branched: { label: 'Branched', what: 'has branches' },
  compacted: { label: 'Compacted', what: 'its context was compacted' },
  errors: { label: 'With errors', what: 'something failed in it' },
  archived: { label: 'Archive only', what: 'its file is gone, the archive has it' },
};

const PATHS: Readonly<Record<Mark, string>> = {
  live: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  branched: 'M5 3v10m0-3.5c4.5 0 6-1 6-5',
  compacted: 'M3 8h10M5.5 3.5 8 6l2.5-2.5m-5 9L8 10l2.5 2.5',
  errors: 'M8 4v5m0 2.4v.2M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z',
  archived: 'M2.5 3h11v3h-11Zm1 3v7h9V6m-6 2.5h3',
};

export function MarkSign({ mark }: { readonly mark: Mark }) {
  return (
    <svg
      class={`mark-sign ${mark}`}
      viewBox="0 0 16 16"
      width="14"
      height="14"
      role="img"
      aria-label={MARK_WORDS[mark].what}
    >
      <title>{MARK_WORDS[mark].what}</title>
      <path
        d={PATHS[mark]}
        fill={mark === 'live' ? 'currentColor' : 'none'}
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
