/** The sub-agents of a turn, each with lanes of its own under the same axis when it is opened. */
import { useState } from 'preact/hooks';
import { agentKey } from '../../src/views/page/embedded.ts';
import type { AgentRow } from '../../src/views/page/types.ts';
import type { AgentRun } from '../app/api.ts';
import { useAnswer } from '../app/useAnswer.ts';
import { useChatContext } from '../chat/context.ts';
import { counted } from '../usage/amounts.ts';
import { Lanes, type LanesProps } from './Lanes.tsx';
import { lanesOf, type Span, spansOf } from './spans.ts';

type Shared = Pick<LanesProps, 'axis' | 'onGo' | 'onSee'>;

export interface AgentsProps extends Shared {
  readonly spans: readonly Span[];
  /** The agents around it: one that calls itself ends there. */
  readonly path: readonly string[];
}

export function Agents({ spans, path, ...shared }: AgentsProps) {
  const agents = spans.flatMap(({ agent }) => (agent === null || path.includes(agent.agentId) ? [] : [agent]));
  if (agents.length === 0) return null;
  return (
    <ul class="waterfall-agents">
      {agents.map((agent) => (
        <Agent key={agentKey(agent)} agent={agent} path={[...path, agent.agentId]} {...shared} />
      ))}
    </ul>
  );
}

function Agent({ agent, path, ...shared }: Shared & { readonly agent: AgentRow; readonly path: readonly string[] }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <button type="button" class="waterfall-agent small" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? '▾' : '▸'}</span> {agent.type ?? 'sub-agent'}{' '}
        <span class="quiet">
          {agent.description} · {counted(agent.calls, 'call')}
        </span>
      </button>
      {open && <Opened run={agent} path={path} {...shared} />}
    </li>
  );
}

function Opened({ run, path, ...shared }: Shared & { readonly run: AgentRun; readonly path: readonly string[] }) {
  const { api, id } = useChatContext();
  const { value, error } = useAnswer(`${id} ${agentKey(run)}`, (asked) => api.agent(id, run, asked));
  if (error !== undefined) return <p class="small quiet">{error.message}</p>;
  if (value === undefined) return <div class="skeleton lane" />;
  const spans = spansOf(value.turns);
  // What ran on after the turn is cut off at its end.
  const { start, end } = shared.axis;
  const within = spans
    .filter((span) => span.start <= end && span.end >= start)
    .map((span) => ({ ...span, end: Math.min(span.end, end) }));
  return (
    <>
      <Lanes lanes={lanesOf(within)} {...shared} />
      <Agents spans={spans} path={path} {...shared} />
    </>
  );
}
