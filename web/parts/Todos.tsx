/** A list of tasks, with what this call changed in it. */
import type { Todo } from '../../src/graph/toolresults/lookups.ts';
import { Text } from './Text.tsx';

const STATES: ReadonlyMap<string, { readonly mark: string; readonly word: string }> = new Map([
  ['completed', { mark: '☑', word: 'done' }],
  ['in_progress', { mark: '◐', word: 'in progress' }],
  ['pending', { mark: '☐', word: 'to do' }],
]);

export function Todos({ todos, before }: { readonly todos: readonly Todo[]; readonly before?: readonly Todo[] }) {
  const was = before && new Map(before.map(({ content, status }) => [content, status]));
  const now = new Set(todos.map(({ content }) => content));
  const gone = (before ?? []).filter(({ content }) => !now.has(content));
  return (
    <ul class="todos">
      {todos.map(({ content, status }, place) => (
        <li key={place} class={STATES.has(status) ? `todo ${status}` : 'todo'} dir="auto">
          <span aria-hidden="true">{STATES.get(status)?.mark ?? '☐'}</span>
          <span class="visually-hidden">{STATES.get(status)?.word ?? status}:</span>
          <span>
            <Text text={content} />
          </span>
          <Changed was={was} content={content} status={status} />
        </li>
      ))}
      {gone.map(({ content }, place) => (
        <li key={`gone ${place}`} class="todo gone" dir="auto">
          <span aria-hidden="true">×</span>
          <del>
            <Text text={content} />
          </del>
          <span class="chip">taken off</span>
        </li>
      ))}
    </ul>
  );
}

function Changed({
  was,
  content,
  status,
}: {
  was: ReadonlyMap<string, string> | undefined;
  content: string;
  status: string;
}) {
  if (was === undefined || was.size === 0) return null;
  const before = was.get(content);
  if (before === status) return null;
  return <span class="chip">{before === undefined ? 'new' : (STATES.get(status)?.word ?? status)}</span>;
}
