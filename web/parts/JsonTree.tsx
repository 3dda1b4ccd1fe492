/** JSON as a tree that folds. Short things stand on one line. */
import { useState } from 'preact/hooks';
import { Long } from './Long.tsx';
import { Text } from './Text.tsx';

const OPEN_DEPTH = 2;
const MOST_SHOWN = 100;

export function JsonTree({ value }: { readonly value: unknown }) {
  return (
    <div class="json" dir="ltr">
      <Value value={value} depth={0} />
    </div>
  );
}

function Value({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  if (typeof value === 'string') return <Words text={value} />;
  if (typeof value !== 'object' || value === null) return <span class="hl-number">{String(value)}</span>;
  return <Branch entries={Object.entries(value)} isList={Array.isArray(value)} depth={depth} />;
}

function Words({ text }: { readonly text: string }) {
  if (!text.includes('\n') && text.length < 200) {
    return (
      <span class="hl-string" dir="auto">
        <Text text={text} />
      </span>
    );
  }
  return (
    <Long text={text} label="the text">
      {(shown) => (
        <pre class="json-text hl-string" dir="auto">
          <Text text={shown} />
        </pre>
      )}
    </Long>
  );
}

function Branch({
  entries,
  isList,
  depth,
}: {
  readonly entries: readonly [string, unknown][];
  readonly isList: boolean;
  readonly depth: number;
}) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH);
  const [most, setMost] = useState(MOST_SHOWN);
  const count = `${entries.length} ${isList ? 'item' : 'field'}${entries.length === 1 ? '' : 's'}`;
  if (entries.length === 0) return <span class="quiet">{isList ? 'empty list' : 'nothing'}</span>;
  return (
    <>
      {depth > 0 && (
        <button type="button" class="json-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {count}
        </button>
      )}
      {open && (
        <ul>
          {entries.slice(0, most).map(([name, value]) => (
            <li key={name}>
              <span class={isList ? 'json-place' : 'json-name'}>{name}</span> <Value value={value} depth={depth + 1} />
            </li>
          ))}
          {entries.length > most && (
            <li>
              <button type="button" class="button" onClick={() => setMost(most * 10)}>
                {entries.length - most} more
              </button>
            </li>
          )}
        </ul>
      )}
    </>
  );
}
