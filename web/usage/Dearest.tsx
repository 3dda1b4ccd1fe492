/** The dearest chats, with why. */
import type { UsageAnswer } from '../app/answers.ts';
import { hrefOf } from '../app/router.ts';
import { Masked } from '../list/Masked.tsx';
import { costOfRow } from './amounts.ts';
import { Share } from './Shares.tsx';
import { summed } from './series.ts';
import { whyDear } from './why.ts';

const SHOWN = 10;

export interface DearestProps {
  /** By chat and model. */
  readonly usage: UsageAnswer;
  readonly onExplain: (chat: string, title: string) => void;
}

export function Dearest({ usage, onExplain }: DearestProps) {
  const chats = summed(usage.rows, 'chat');
  const titles = new Map(usage.rows.map(({ key, title }) => [key.chat ?? '', title]));
  const largest = Math.max(...chats.map(({ costUSD }) => costUSD ?? 0), Number.MIN_VALUE);
  const modelOf = (chat: string) =>
    summed(
      usage.rows.filter(({ key }) => key.chat === chat),
      'model',
    )[0]?.key;
  return (
    <ol class="dearest">
      {chats.slice(0, SHOWN).map((chat) => {
        const title = titles.get(chat.key) ?? `Chat ${chat.key.slice(0, 8)}`;
        return (
          <li key={chat.key}>
            <a class="dearest-title" href={hrefOf({ page: 'chat', id: chat.key })} dir="auto">
              <Masked text={title} />
            </a>
            <button
              type="button"
              class="explains number"
              onClick={() => onExplain(chat.key, title)}
              aria-label={`${costOfRow(chat)}, explained`}
            >
              {costOfRow(chat)}
            </button>
            <span class="dearest-why small quiet">{whyDear(chat, chats, modelOf(chat.key))}</span>
            <Share of={(chat.costUSD ?? 0) / largest} />
          </li>
        );
      })}
    </ol>
  );
}
