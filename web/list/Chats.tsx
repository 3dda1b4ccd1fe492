/** The second column: the chats, newest first, by day. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isCommand } from '../app/keys.ts';
import { go, hrefOf, listParams, withParams } from '../app/router.ts';
import { Failed } from '../parts/Failed.tsx';
import { useVirtual } from '../parts/useVirtual.ts';
import { counted } from '../usage/amounts.ts';
import { Demo } from './Demo.tsx';
import type { ListProps } from './List.tsx';
import { MarkFilters } from './MarkFilters.tsx';
import { Row } from './Row.tsx';
import { chosenChats, projectsOf, shortNames, toRows } from './rows.ts';
import { useSelection } from './useSelection.ts';

const HEADING = 30;
const ROW = 58;

export function Chats({ list, error, retry, route }: ListProps) {
  const { project = '', filter = '' } = route.params;
  const all = list?.chats ?? [];
  const chats = useMemo(() => chosenChats(all, project, filter), [list, project, filter]);
  const field = useRef<HTMLInputElement>(null);
  const setParams = (changes: Record<string, string>) => go(withParams(route, changes), { replace: true });
  useFilterKey(field);
  if (list === undefined && error !== undefined) return <Failed error={error} retry={retry} />;
  return (
    <div class="chats-list">
      <div class="chats-head">
        <input
          ref={field}
          class="field"
          type="search"
          aria-label="Filter the chats"
          placeholder="Filter"
          autocomplete="off"
          spellcheck={false}
          value={filter}
          onInput={({ currentTarget }) => setParams({ filter: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            if (filter === '') field.current?.blur();
            setParams({ filter: '' });
            event.preventDefault();
          }}
        />
        <select
          class="field chats-project"
          aria-label="Project"
          value={project}
          onChange={({ currentTarget }) => setParams({ project: currentTarget.value })}
        >
          <option value="">All projects</option>
          {projectsOf(all).map(({ project: path, name, chats: count }) => (
            <option key={path} value={path}>
              {name} ({count})
            </option>
          ))}
        </select>
        <div class="chats-marks">
          <MarkFilters chats={all} route={route} class="button" />
        </div>
        <p class="chats-count small quiet number" role="status">
          {list &&
            (chats.length === all.length
              ? counted(all.length, 'chat')
              : `${chats.length} of ${counted(all.length, 'chat')}`)}
        </p>
      </div>
      {list?.demo && <Demo />}
      {list?.team !== undefined && <p class="team-name">These are the chats of the team {list.team}.</p>}
      {list?.problems.map(({ what, where, next }) => (
        <p key={`${what} ${where}`} class="list-problem small">
          {what} <code>{where}</code> {next}
        </p>
      ))}
      {list === undefined ? (
        <Skeletons />
      ) : chats.length === 0 ? (
        <NoneLeft filtered={all.length > 0} clear={() => setParams({ filter: '', project: '' })} />
      ) : (
        <Rows chats={chats} route={route} field={field} filterKey={`${project}\n${filter}`} />
      )}
    </div>
  );
}

type RowsProps = Pick<ListProps, 'route'> & {
  readonly chats: ReturnType<typeof chosenChats>;
  readonly field: { readonly current: HTMLInputElement | null };
  /** Another choice begins at the top. */
  readonly filterKey: string;
};

function Rows({ chats, route, field, filterKey }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const today = new Date().toDateString();
  const rows = useMemo(() => toRows(chats, Date.now()), [chats, today]);
  const names = useMemo(() => shortNames([...new Set(chats.map(({ project }) => project))]), [chats]);
  const virtual = useVirtual({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => (rows[index]?.type === 'day' ? HEADING : ROW),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    scrollPaddingStart: HEADING,
    scrollPaddingEnd: 4,
    // What is looked at stays where it is when something comes in above; at the very top the newest is seen.
    anchorTo: (box.current?.scrollTop ?? 0) > 0 ? 'end' : 'start',
  });
  const selection = useSelection({ rows, route, box, field, reveal: (index) => virtual.scrollToIndex(index) });
  const [shownKey, setShownKey] = useState(filterKey);
  useEffect(() => {
    if (shownKey === filterKey) return;
    setShownKey(filterKey);
    virtual.scrollToOffset(0);
  }, [filterKey]);
  const kept = listParams(route);
  const items = virtual.getVirtualItems();
  // One row can be reached by Tab, also when the selected one is out of sight.
  const drawn = items.flatMap(({ index }) => rows[index] ?? []);
  const tabStop = drawn.some(({ key }) => key === selection.id)
    ? selection.id
    : drawn.find(({ type }) => type === 'chat')?.key;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links in it
    <div class="chat-rows" ref={box} onKeyDown={selection.onKeyDown}>
      <ul
        class="chat-rows-all"
        ref={(element) => element?.style.setProperty('height', `${virtual.getTotalSize()}px`)}
        aria-label="Chats"
      >
        {items.map(({ index, key, start, size }) => {
          const row = rows[index];
          return (
            <li key={key} class="chat-rows-one" ref={(element) => place(element, start, size)}>
              {row?.type === 'day' && <h3 class="chat-rows-day">{row.label}</h3>}
              {row?.type === 'chat' && (
                <Row
                  chat={row.chat}
                  projectName={names.size > 1 ? (names.get(row.chat.project) ?? null) : null}
                  href={hrefOf({ page: 'chat', id: row.chat.id, params: kept })}
                  open={row.chat.id === route.id}
                  selected={row.chat.id === tabStop}
                  onFocus={() => selection.select(row.chat.id)}
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function place(element: HTMLElement | null, start: number, size: number): void {
  element?.style.setProperty('transform', `translateY(${start}px)`);
  element?.style.setProperty('height', `${size}px`);
}

/** f goes to the filter. */
function useFilterKey(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'f' || !isCommand(event) || document.querySelector('dialog[open]')) return;
      field.current?.focus();
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function NoneLeft({ filtered, clear }: { readonly filtered: boolean; readonly clear: () => void }) {
  return (
    <div class="state">
      <p class="state-what">{filtered ? 'No chat fits' : 'There are no chats yet'}</p>
      {filtered ? (
        <button type="button" class="button" onClick={clear}>
          Show all chats
        </button>
      ) : (
        <p class="quiet">They appear here as soon as a session is written.</p>
      )}
    </div>
  );
}

function Skeletons() {
  return (
    <div class="chat-skeletons" aria-busy="true" role="status" aria-label="Loading the chats">
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} class="skeleton chat-skeleton" />
      ))}
    </div>
  );
}
