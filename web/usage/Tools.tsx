/** Tools by how often they fail and how long they take. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolSums } from '../../src/views/usage/tools.ts';
import type { ToolsAnswer } from '../app/answers.ts';
import { hrefOf } from '../app/router.ts';
import { duration } from '../parts/clock.ts';
import { quoted } from '../search/complete.ts';
import { counted, percentText } from './amounts.ts';
import { Share } from './Shares.tsx';

type Order = 'calls' | 'failures' | 'durationMs';
const ORDERS: readonly { readonly order: Order; readonly label: string }[] = [
  { order: 'failures', label: 'Failed' },
  { order: 'durationMs', label: 'Time' },
  { order: 'calls', label: 'Calls' },
];
const SHOWN = 15;

export function Tools({ tools }: { readonly tools: ToolsAnswer }) {
  const [order, setOrder] = useState<Order>('failures');
  const rows = tools.rows.toSorted((a, b) => b[order] - a[order] || b.calls - a.calls);
  const most = (name: keyof ToolSums) => Math.max(...rows.map((row) => row[name]), 1);
  const [mostFailed, longest] = [most('failures'), most('durationMs')];
  if (rows.length === 0) return <p class="quiet small">No tool was called.</p>;
  return (
    <table class="usage-table tools">
      <thead>
        <tr>
          <th scope="col">Tool</th>
          {ORDERS.map((each) => (
            <Fragment key={each.order}>
              <th scope="col" class="number-cell" aria-sort={order === each.order ? 'descending' : undefined}>
                <button type="button" class="sorts" onClick={() => setOrder(each.order)}>
                  {each.label}
                  {order === each.order && <span aria-hidden="true"> ↓</span>}
                </button>
              </th>
              {each.order !== 'calls' && <td class="bar-cell" />}
            </Fragment>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, SHOWN).map((row) => (
          <tr key={row.key.tool}>
            <th scope="row" title={row.key.tool}>
              {row.key.tool}
            </th>
            <td
              class="number-cell"
              title={`${row.denied} denied, ${row.interrupted} interrupted, ${row.pending} without a result`}
            >
              {row.failures > 0 ? (
                <a href={hrefOf({ page: 'search', params: { q: `tool:${quoted(row.key.tool)} is:error` } })}>
                  {row.failures} <span class="quiet">{percentText(row.failures / row.calls)}</span>
                </a>
              ) : (
                <span class="quiet">0</span>
              )}
            </td>
            <td class="bar-cell">
              <Share of={row.failures / mostFailed} bad />
            </td>
            <td class="number-cell" title={row.timed > 0 ? `${duration(row.durationMs / row.timed)} each` : undefined}>
              {row.timed > 0 ? duration(row.durationMs) : ''}
            </td>
            <td class="bar-cell">
              <Share of={row.durationMs / longest} />
            </td>
            <td class="number-cell">{row.calls.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td class="quiet small" colSpan={6}>
            {counted(tools.totals.calls, 'call')}, {tools.totals.failures} failed, {tools.totals.denied} denied,{' '}
            {tools.totals.interrupted} interrupted
            {rows.length > SHOWN && ` · ${rows.length - SHOWN} more tools`}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}
