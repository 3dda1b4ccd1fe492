/** A tool call: one line, and what opens under it. A sub-agent's conversation follows as rows of its own. */
import { useEffect, useState } from 'preact/hooks';
import { tokenCount } from '../../src/views/items.ts';
import type { CallPage, CallRow } from '../../src/views/page/types.ts';
import type { ApiError } from '../app/api.ts';
import { asApiError } from '../app/useAnswer.ts';
import { duration, humanSize } from '../parts/clock.ts';
import { Failed } from '../parts/Failed.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Text } from '../parts/Text.tsx';
import { useChatContext } from './context.ts';
import { PartView } from './PartView.tsx';
import type { ChatStore } from './store.ts';

/** A map: tools may be called `constructor`. */
const ICONS: ReadonlyMap<string, IconName> = new Map<string, IconName>([
  ['Bash', 'terminal'],
  ['BashOutput', 'terminal'],
  ['Read', 'file'],
  ['Write', 'edit'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Grep', 'search'],
  ['Glob', 'search'],
  ['LS', 'folder'],
  ['TodoWrite', 'list'],
  ['TaskCreate', 'list'],
  ['TaskUpdate', 'list'],
  ['WebFetch', 'globe'],
  ['WebSearch', 'globe'],
  ['Task', 'agent'],
  ['Agent', 'agent'],
  ['AskUserQuestion', 'question'],
]);

const STATES: Readonly<Record<CallRow['status'], string>> = {
  ok: '',
  error: 'failed',
  denied: 'denied',
  interrupted: 'interrupted',
  pending: 'no result yet',
  background: 'in the background',
};

export function CallView({
  call,
  rowKey,
  agent,
  store,
}: {
  readonly call: CallRow;
  readonly rowKey: string;
  /** The sub-agent in whose conversation it stands. */
  readonly agent: string | null;
  readonly store: ChatStore;
}) {
  const { opened, toggle } = useChatContext();
  const open = opened.has(rowKey);
  return (
    <div class={`call ${call.status}`}>
      <CallLine call={call} open={open} onToggle={() => toggle(rowKey)} />
      {call.failure !== null && !open && (
        <p class="call-failure" dir="auto">
          <Text text={call.failure} />
        </p>
      )}
      {open && call.agent === null && <OpenCall call={call} agent={agent} store={store} />}
    </div>
  );
}

function CallLine({ call, open, onToggle }: { call: CallRow; open: boolean; onToggle: () => void }) {
  const state = STATES[call.status];
  const argument = call.agent?.description ?? call.argument.split('\n')[0] ?? '';
  const facts = call.agent
    ? `${call.agent.calls} ${call.agent.calls === 1 ? 'call' : 'calls'} · ${tokenCount(call.agent.tokens)} tokens`
    : call.size > 0
      ? humanSize(call.size)
      : '';
  return (
    <div class="call-line">
      <button type="button" class="call-toggle" aria-expanded={open} onClick={onToggle} data-toggle>
        <Icon name={call.agent ? 'agent' : (ICONS.get(call.name) ?? 'tool')} />
        <span class="call-name">{call.agent?.type ?? call.name}</span>
        <span class="visually-hidden">{open ? ', open' : ''}</span>
      </button>
      <span class="call-argument" dir="auto" title={call.argument}>
        <Text text={argument} />
      </span>
      {state !== '' && <span class={`call-state ${call.status}`}>{state}</span>}
      <span class="call-facts number">
        {[facts, duration(call.durationMs)].filter((fact) => fact !== '').join(' · ')}
      </span>
    </div>
  );
}

function OpenCall({ call, agent, store }: { call: CallRow; agent: string | null; store: ChatStore }) {
  const held = store.call(call.id, agent, `${call.status} ${call.size}`);
  const [page, setPage] = useState<CallPage | undefined>(held.value);
  const [error, setError] = useState<ApiError>();
  const [tries, setTries] = useState(0);
  const [raw, setRaw] = useState(false);
  useEffect(() => {
    let gone = false;
    if (held.value !== undefined) setPage(held.value);
    else
      held.load().then(
        (answer) => !gone && setPage(answer),
        (why: unknown) => !gone && setError(asApiError(why)),
      );
    return () => {
      gone = true;
    };
  }, [call.id, call.status, call.size, tries]);
  const shown = held.value ?? page;
  if (shown === undefined) {
    if (error === undefined) return <div class="skeleton call-skeleton" />;
    return (
      <Failed
        error={error}
        retry={() => {
          setError(undefined);
          setTries(tries + 1);
        }}
      />
    );
  }
  return (
    <div class="call-parts">
      {(raw ? [{ type: 'json' as const, value: shown.input }] : shown.parts).map((part, place) => (
        <PartView key={place} part={part} tool={call.name} argument={call.argument} />
      ))}
      {!raw && shown.parts.length === 0 && <p class="quiet">Nothing came back.</p>}
      <button type="button" class="raw-toggle" aria-pressed={raw} onClick={() => setRaw(!raw)}>
        {raw ? 'Show the result' : 'Whole input'}
      </button>
    </div>
  );
}
