/** The keys that work in an exported file. */
import { KEYS, type Key } from '../app/keys.ts';
import { KeyList } from '../help/KeyList.tsx';

const REPLAY_KEYS: readonly Key[] = [
  { keys: ['Space'], what: 'Play or pause' },
  { keys: ['→', '←'], what: 'One step on or back' },
  { keys: ['Home', 'End'], what: 'First or last step' },
];

/** Without a server there is nothing to search and nothing to resume. */
const SERVED = new Set(['n', 'r']);

export function ChatKeys({ replay }: { readonly replay: boolean }) {
  const chat = KEYS.find(({ where }) => where === 'In a chat')?.keys ?? [];
  const keys = [...(replay ? REPLAY_KEYS : []), ...chat.filter(({ keys: [first = ''] }) => !SERVED.has(first))];
  return (
    <div class="help">
      <section>
        <KeyList keys={[...keys, { keys: ['t'], what: 'Light or dark' }, { keys: ['?'], what: 'This help' }]} />
      </section>
    </div>
  );
}
