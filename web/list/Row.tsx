/** One chat of the list: two lines. */
import type { ChatRow } from '../../src/views/page/types.ts';
import { fullTime, timeOf } from '../parts/clock.ts';
import { costText, counted } from '../usage/amounts.ts';
import { MarkSign } from './Marks.tsx';
import { Masked } from './Masked.tsx';

export interface RowProps {
  readonly chat: ChatRow;
  readonly projectName: string | null;
  readonly href: string;
  readonly open: boolean;
  /** Where the arrow keys stand. */
  readonly selected: boolean;
  readonly onFocus: () => void;
}

export function Row({ chat, projectName, href, open, selected, onFocus }: RowProps) {
  const { id, title, lastPrompt, updated, turns, costUSD, marks } = chat;
  const name = title ?? lastPrompt ?? id;
  const second = lastPrompt !== null && lastPrompt !== name ? lastPrompt : null;
  return (
    <a
      class="chat-row"
      href={href}
      id={rowId(id)}
      data-chat={id}
      data-selected={selected || undefined}
      aria-current={open ? 'true' : undefined}
      tabIndex={selected ? 0 : -1}
      onFocus={onFocus}
    >
      <span class="chat-row-line">
        <span class="chat-row-title" dir="auto">
          <Masked text={name} />
        </span>
        <time class="chat-row-fact number" dateTime={updated ?? undefined} title={fullTime(updated)}>
          {timeOf(updated)}
        </time>
      </span>
      <span class="chat-row-line">
        <span class="chat-row-second" dir="auto">
          <Masked text={second ?? branchName(chat.gitBranch)} />
        </span>
        {marks.map((mark) => (
          <MarkSign key={mark} mark={mark} />
        ))}
        {projectName !== null && <span class="chat-row-project">{projectName}</span>}
        <span class="chat-row-fact number">
          {counted(turns, 'turn')}
          {costUSD !== null && ` · ${shortCost(costUSD)}`}
        </span>
      </span>
    </a>
  );
}

/** What the client notes where there is no branch says nothing. */
function branchName(branch: string | null): string {
  return branch === null || branch === 'HEAD' ? '' : branch;
}

function shortCost(costUSD: number): string {
  return costUSD > 0 && costUSD < 0.01 ? '<$0.01' : costText(costUSD);
}

export function rowId(id: string): string {
  return `row-${id}`;
}
