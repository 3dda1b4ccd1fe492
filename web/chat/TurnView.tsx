/** Where a turn begins: the prompt as a heading, with what is to be known of the turn. */
import type { PageItem, PageTurn } from '../../src/views/page/types.ts';
import { copyText } from '../parts/clipboard.ts';
import { duration, fullTime, timeOf } from '../parts/clock.ts';
import { Icon } from '../parts/icons.tsx';
import { useChatContext } from './context.ts';
import { PromptText } from './ItemView.tsx';
import { turnMarkdown } from './markdown.ts';
import { timelineKey } from './rows.ts';

const KINDS: Readonly<Partial<Record<PageTurn['kind'], string>>> = {
  slash_command: 'command',
  bash_input: 'shell',
  queued: 'queued',
  agent_prompt: 'asked by the agent',
};

const ROUNDS: Readonly<Record<PageTurn['round'], string>> = {
  new_session: '',
  new_round: '',
  resume: 'resumed',
  continue: 'went on',
};

export function TurnView({
  head,
  item,
  rowKey,
  nested,
}: {
  readonly head: PageTurn;
  readonly item: PageItem | undefined;
  readonly rowKey: string;
  readonly nested: boolean;
}) {
  const { api, opened, toggle, copyLink, cloneTo, say } = useChatContext();
  const labels = [KINDS[head.kind], ROUNDS[head.round]].filter((label) => label !== undefined && label !== '');
  const timeline = timelineKey(rowKey);
  const Heading = nested ? 'h3' : 'h2';
  return (
    <section class={nested ? 'turn nested' : 'turn'} aria-label={`Turn ${head.number}`}>
      <div class="turn-line">
        <Heading class="turn-number">
          {head.number > 0 ? `${nested ? '' : 'Prompt '}${head.number}` : 'Before the first prompt'}
        </Heading>
        <span class="turn-facts number">
          <time dateTime={head.started ?? undefined} title={fullTime(head.started)}>
            {timeOf(head.started)}
          </time>
          {head.durationMs !== null && head.durationMs > 0 && <span>{duration(head.durationMs)}</span>}
          {labels.map((label) => (
            <span key={label} class="chip">
              {label}
            </span>
          ))}
          {head.state === 'interrupted' && <span class="chip bad">interrupted</span>}
          {head.state === 'open' && <span class="chip live">not finished</span>}
          {head.failures > 0 && (
            <span class="chip bad">
              {head.failures} {head.failures === 1 ? 'failure' : 'failures'}
            </span>
          )}
        </span>
        <span class="turn-actions">
          <button
            type="button"
            class="icon-button"
            aria-label="Timeline of the turn"
            title="Timeline (w)"
            aria-pressed={opened.has(timeline)}
            onClick={() => toggle(timeline)}
          >
            <Icon name="time" />
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label="Copy the turn as Markdown"
            title="Copy as Markdown"
            onClick={async () => say((await copyText(turnMarkdown(head))) ? 'Copied the turn' : 'Could not copy')}
          >
            <Icon name="copy" />
          </button>
          {head.uuid !== null && (
            <button
              type="button"
              class="icon-button"
              aria-label="Copy a link to the turn"
              title="Copy link (l)"
              onClick={() => head.uuid !== null && copyLink(head.uuid)}
            >
              <Icon name="link" />
            </button>
          )}
          {api.served && !nested && head.number > 0 && (
            <button
              type="button"
              class="icon-button"
              aria-label="Clone the chat up to this turn"
              title="Clone up to here…"
              onClick={() => cloneTo(head.number)}
            >
              <Icon name="branch" />
            </button>
          )}
        </span>
      </div>
      {item?.type === 'prompt' && <PromptText item={item} rowKey={rowKey} />}
    </section>
  );
}
