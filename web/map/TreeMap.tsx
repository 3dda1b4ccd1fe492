/** The whole tree of a chat, in a dialog that the shell has opened. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AgentNode, ChatPage } from '../../src/views/page/types.ts';
import { elementsIn, focusBeside } from '../list/focus.ts';
import { Masked } from '../list/Masked.tsx';
import { timeOf } from '../parts/clock.ts';
import { Icon } from '../parts/icons.tsx';
import { counted } from '../usage/amounts.ts';
import { type MapRow, mapRows } from './rows.ts';
import { Sessions } from './Sessions.tsx';

export interface TreeMapProps {
  readonly page: ChatPage;
  /** Goes to a branch, and there to an entry where one is given. */
  readonly onGo: (branch: number, uuid: string | null) => void;
}

export function TreeMap({ page, onGo }: TreeMapProps) {
  const { rows, loose } = mapRows(page);
  const rowProps = { page, onGo };
  const box = useRef<HTMLDivElement>(null);
  // After the dialog has taken the focus, so that the arrow keys work at once.
  useEffect(() => {
    const frame = requestAnimationFrame(() => elementsIn(box.current, 'button.map-row')[0]?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the buttons in it
    <div class="map" ref={box} onKeyDown={moveBetween}>
      <p class="small quiet">{summary(page)}</p>
      <ol class="map-rows" aria-label="Turns of the branch that is shown">
        {rows.map((row) => (
          <Line key={keyOf(row)} row={row} {...rowProps} />
        ))}
      </ol>
      {loose.length > 0 && (
        <>
          <h3>Elsewhere in the chat</h3>
          <ol class="map-rows map-loose">
            {loose.map((row) => (
              <Line key={keyOf(row)} row={row} {...rowProps} />
            ))}
          </ol>
        </>
      )}
      <Sessions page={page} />
    </div>
  );
}

function summary({ turns, branches, branch, agents }: ChatPage): string {
  const parts = [counted(turns.length, 'turn')];
  if (branches.length > 1) parts.push(`branch ${branch + 1} of ${branches.length}`);
  const compactions = turns.filter(({ compacted }) => compacted).length;
  if (compactions > 0) parts.push(counted(compactions, 'compaction'));
  if (agents.length > 0) parts.push(counted(countAgents(agents), 'sub-agent'));
  return parts.join(' · ');
}

function countAgents(agents: readonly AgentNode[]): number {
  return agents.reduce((sum, { children }) => sum + 1 + countAgents(children), 0);
}

function keyOf(row: MapRow): string {
  switch (row.type) {
    case 'run':
      return `run ${row.turns[0]?.index}`;
    case 'branch':
      return `branch ${row.place}`;
    case 'agent':
      return `agent ${row.agent.agentId}`;
    default:
      return `${row.type} ${row.turn.index}`;
  }
}

function Line({ row, page, onGo }: TreeMapProps & { readonly row: MapRow }) {
  const [open, setOpen] = useState(false);
  switch (row.type) {
    case 'run':
      return open ? (
        row.turns.map((turn) => <Line key={turn.index} row={{ type: 'turn', turn }} page={page} onGo={onGo} />)
      ) : (
        <li class="map-run">
          <button type="button" class="map-row quiet" onClick={() => setOpen(true)} aria-expanded={false}>
            {counted(row.turns.length, 'turn')} between
          </button>
        </li>
      );
    case 'turn': {
      const { turn } = row;
      return (
        <li class="map-turn" data-failed={turn.failures > 0 || undefined}>
          <button type="button" class="map-row" onClick={() => onGo(page.branch, turn.uuid)}>
            <span class="map-number number">{turn.number}</span>
            <span class="map-text" dir="auto">
              <Masked text={turn.prompt === '' ? 'Before the first prompt' : turn.prompt} />
            </span>
            {turn.failures > 0 && <span class="chip bad">{turn.failures} failed</span>}
            {turn.state === 'interrupted' && <span class="chip bad">interrupted</span>}
            <span class="small quiet number">{timeOf(turn.started)}</span>
          </button>
        </li>
      );
    }
    case 'compaction':
      return (
        <li class="map-compaction">
          <button type="button" class="map-row small" onClick={() => onGo(page.branch, row.turn.uuid)}>
            <span>context compacted</span>
          </button>
        </li>
      );
    case 'branch':
      return (
        <li class="map-branch">
          <button type="button" class="map-row" onClick={() => onGo(row.place, null)}>
            <Icon name="branch" />
            <span class="map-text" dir="auto">
              <span class="map-name">Branch {row.place + 1}</span> <Masked text={row.branch.prompt ?? ''} />
            </span>
            {row.branch.current && <span class="chip">newest</span>}
            <span class="small quiet number">{counted(row.branch.turns, 'turn')}</span>
          </button>
        </li>
      );
    case 'agent':
      return (
        <li class="map-agent" ref={(element) => element?.style.setProperty('--depth', String(row.depth))}>
          <button
            type="button"
            class="map-row"
            disabled={row.agent.uuid === null}
            onClick={() => onGo(page.branch, row.agent.uuid)}
          >
            <Icon name="agent" />
            <span class="map-text" dir="auto">
              <span class="map-name">{row.agent.type ?? 'sub-agent'}</span>{' '}
              <Masked text={row.agent.description ?? ''} />
            </span>
          </button>
        </li>
      );
  }
}

/** Up and down from line to line. */
function moveBetween(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
  if (step === undefined) return;
  focusBeside(elementsIn(event.currentTarget, 'button.map-row:not(:disabled)'), step);
  event.preventDefault();
}
