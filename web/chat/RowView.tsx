/** One row of the list, whatever it is. */
import { useEffect } from 'preact/hooks';
import type { BranchRow } from '../../src/views/page/types.ts';
import type { AgentRun } from '../app/api.ts';
import { Waterfall } from '../waterfall/Waterfall.tsx';
import { Forks } from './Forks.tsx';
import { ItemView } from './ItemView.tsx';
import { PartRow } from './PartRow.tsx';
import { estimatedHeight, type Row } from './rows.ts';
import type { ChatStore } from './store.ts';
import { TurnView } from './TurnView.tsx';

export interface RowViewProps {
  readonly row: Row;
  readonly store: ChatStore;
  readonly branches: readonly BranchRow[];
  readonly branch: number;
  readonly onBranch: (branch: number) => void;
  readonly onEntry: (uuid: string) => void;
}

export function RowView({ row, store, branches, branch, onBranch, onEntry }: RowViewProps) {
  switch (row.type) {
    case 'unloaded':
      return <Unloaded prompt={row.head.prompt} height={estimatedHeight(row, 76)} />;
    case 'turn':
      return <TurnView head={row.head} item={row.item} rowKey={row.key} nested={row.depth > 0} />;
    case 'timeline':
      return <Waterfall turn={row.head} onGo={onEntry} />;
    case 'item':
      return <ItemView item={row.item} rowKey={row.key} agent={row.agent} store={store} />;
    case 'agent':
      return <Agent run={row.run} state={row.state} store={store} />;
    case 'part':
      return <PartRow turn={row.turn} part={row.part} count={row.count} store={store} />;
    case 'forks':
      return <Forks branches={branches} shown={branch} forks={row.forks} onBranch={onBranch} />;
  }
}

/** As high as the turn will be, roughly, so that little moves when it comes. */
function Unloaded({ prompt, height }: { readonly prompt: string; readonly height: number }) {
  return (
    <div class="unloaded" style={{ minHeight: `${height - 40}px` }}>
      <p class="prompt-text" dir="auto">
        {prompt}
      </p>
      <div class="unloaded-line" />
      <div class="unloaded-line" />
    </div>
  );
}

function Agent({ run, state, store }: { run: AgentRun; state: 'loading' | 'circle'; store: ChatStore }) {
  useEffect(() => {
    if (state === 'loading') void store.needAgent(run);
  }, [run.agentId, run.callId, state, store]);
  if (state === 'circle') return <p class="quiet">This is the conversation above.</p>;
  return <div class="skeleton call-skeleton" />;
}
