/** What a reader meets in a turn, one at a time. */
import { Fragment } from 'preact';
import type { PageItem } from '../../src/views/page/types.ts';
import { Picture } from '../parts/Image.tsx';
import { Icon } from '../parts/icons.tsx';
import { Long } from '../parts/Long.tsx';
import { Markdown } from '../parts/Markdown.tsx';
import { Terminal } from '../parts/Terminal.tsx';
import { Text } from '../parts/Text.tsx';
import { CallView } from './CallView.tsx';
import { useChatContext } from './context.ts';
import type { ChatStore } from './store.ts';

export interface ItemProps {
  readonly item: PageItem;
  readonly rowKey: string;
  readonly agent: string | null;
  readonly store: ChatStore;
}

export function ItemView({ item, rowKey, agent, store }: ItemProps) {
  switch (item.type) {
    case 'prompt':
      return <PromptText item={item} rowKey={rowKey} />;
    case 'text':
      return <Markdown text={item.text} />;
    case 'thinking':
      return <Thinking text={item.text} rowKey={rowKey} />;
    case 'call':
      return <CallView call={item.call} rowKey={rowKey} agent={agent} store={store} />;
    case 'api_error':
      return (
        <p class="api-error" dir="auto">
          <Icon name="warning" /> <Text text={item.text} />
        </p>
      );
    case 'image':
      return <Picture {...item.image} />;
    case 'compaction':
      return <Compaction text={item.text} summary={item.summary} rowKey={rowKey} />;
    case 'note':
      return <Note label={item.label} text={item.text} />;
  }
}

/** What was typed, as it was typed; then what the client added to it. */
export function PromptText({
  item,
  rowKey,
}: {
  readonly item: Extract<PageItem, { type: 'prompt' }>;
  readonly rowKey: string;
}) {
  const { opened, toggle } = useChatContext();
  const key = `${rowKey}.context`;
  const open = opened.has(key);
  return (
    <>
      <div class="prompt-text" dir="auto">
        <Folded text={item.text} rowKey={rowKey} />
      </div>
      {item.images.map((image, place) => (
        <Picture key={place} {...image} />
      ))}
      {item.context.length > 0 && (
        <div class="prompt-context">
          <button type="button" class="link-button" aria-expanded={open} onClick={() => toggle(key)}>
            {open ? 'Hide' : 'Show'} what the client added ({item.context.length})
          </button>
          {open &&
            item.context.map(({ tag, text }, place) => (
              <Fragment key={place}>
                <p class="part-title">{tag}</p>
                <p class="plain quiet" dir="auto">
                  <Text text={text} />
                </p>
              </Fragment>
            ))}
        </div>
      )}
    </>
  );
}

const FOLD_LINES = 14;
const FOLD_CHARACTERS = 1600;

/** A long prompt shows its beginning. */
function Folded({ text, rowKey }: { readonly text: string; readonly rowKey: string }) {
  const { opened, toggle } = useChatContext();
  const key = `${rowKey}.prompt`;
  const isLong = text.length > FOLD_CHARACTERS * 1.5 || text.split('\n').length > FOLD_LINES * 1.5;
  const open = opened.has(key);
  if (!isLong) return <Text text={text} />;
  const short = text.split('\n').slice(0, FOLD_LINES).join('\n').slice(0, FOLD_CHARACTERS);
  return (
    <>
      {open ? (
        <Long text={text} label="the prompt">
          {(shown) => <Text text={shown} />}
        </Long>
      ) : (
        <Text text={`${short}…`} />
      )}
      <br />
      <button type="button" class="link-button" aria-expanded={open} onClick={() => toggle(key)}>
        {open ? 'Show less' : 'Show all'}
      </button>
    </>
  );
}

function Thinking({ text, rowKey }: { readonly text: string; readonly rowKey: string }) {
  const { opened, toggle } = useChatContext();
  const open = opened.has(rowKey);
  const [first = ''] = text.trim().split('\n');
  return (
    <div class="thinking">
      <button type="button" class="thinking-line" aria-expanded={open} onClick={() => toggle(rowKey)} data-toggle>
        <span class="thinking-word">Thinking</span>
        {!open && (
          <span class="thinking-start" dir="auto">
            {first}
          </span>
        )}
      </button>
      {open && <Markdown text={text} />}
    </div>
  );
}

function Compaction({
  text,
  summary,
  rowKey,
}: {
  readonly text: string;
  readonly summary: string;
  readonly rowKey: string;
}) {
  const { opened, toggle } = useChatContext();
  const open = opened.has(rowKey);
  const words = `Context compacted${text === '' ? '' : `: ${text}`}`;
  return (
    <div class="compaction">
      <div class="compaction-rule">
        {summary === '' ? (
          <span>{words}</span>
        ) : (
          <button type="button" class="compaction-line" aria-expanded={open} onClick={() => toggle(rowKey)} data-toggle>
            {words} · {open ? 'hide the summary' : 'summary'}
          </button>
        )}
      </div>
      {open && (
        <div class="compaction-summary">
          <Markdown text={summary} />
        </div>
      )}
    </div>
  );
}

function Note({ label, text }: { readonly label: string; readonly text: string }) {
  if (label === 'interrupted') return <p class="note interrupted">Interrupted</p>;
  if (label === 'output' && text !== '') return <Terminal output={text} />;
  return (
    <div class={label === 'API error' ? 'note bad' : 'note'}>
      <span class="note-label">{label}</span>{' '}
      <Long text={text} label={label}>
        {(shown) => (
          <span class="plain" dir="auto">
            <Text text={shown} />
          </span>
        )}
      </Long>
    </div>
  );
}
