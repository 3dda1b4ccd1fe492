/** Which messages a figure is made of, and at which prices. */
import { useState } from 'preact/hooks';
import type { Explained } from '../../src/views/usage/explain.ts';
import type { CostPart } from '../../src/views/usage/rates.ts';
import type { Api, Params } from '../app/api.ts';
import { hrefOf } from '../app/router.ts';
import { useAnswer } from '../app/useAnswer.ts';
import { fullTime } from '../parts/clock.ts';
import { Failed } from '../parts/Failed.tsx';
import { costText, counted, percentText, shortModel, tokenText } from './amounts.ts';
import { NumberHeading } from './headings.tsx';
import { tokensOf } from './series.ts';

const PAGE = 50;

const PART_NAMES: Readonly<Record<CostPart['what'], string>> = {
  input: 'Input',
  output: 'Output',
  cacheWrite: 'Cache writes',
  cacheWrite1h: 'Cache writes, 1 h',
  cacheRead: 'Cache reads',
  webSearches: 'Web searches',
};

export interface ExplainProps {
  readonly api: Api;
  readonly about: string;
  /** since, until, project, model, chat */
  readonly slice: Params;
}

export function Explain({ api, about, slice }: ExplainProps) {
  const [skip, setSkip] = useState(0);
  const asked = { ...slice, limit: PAGE, skip };
  const { value, error, loading, retry } = useAnswer(JSON.stringify(asked), (more) => api.explain(asked, more));
  if (error !== undefined) return <Failed error={error} retry={retry} />;
  return (
    <div class="explain" aria-busy={loading}>
      <p class="quiet">{about}</p>
      {value === undefined ? (
        <div class="skeleton explain-skeleton" role="status" aria-label="Reading the messages" />
      ) : (
        <>
          <Parts parts={value.parts} />
          <h3>
            {counted(value.total, 'message')}, each counted once
            {value.total > PAGE && (
              <span class="quiet">
                {' '}
                · {skip + 1}–{skip + value.messages.length}
              </span>
            )}
          </h3>
          <ul class="explain-messages">
            {value.messages.map((message, index) => (
              <li key={`${message.id} ${index}`}>
                <Message message={message} chat={slice.chat} />
              </li>
            ))}
          </ul>
          <p class="explain-pages">
            <button
              type="button"
              class="button"
              disabled={skip === 0}
              onClick={() => setSkip(Math.max(0, skip - PAGE))}
            >
              Earlier
            </button>
            <button
              type="button"
              class="button"
              disabled={skip + PAGE >= value.total}
              onClick={() => setSkip(skip + PAGE)}
            >
              Later
            </button>
          </p>
        </>
      )}
    </div>
  );
}

function Parts({ parts }: { readonly parts: readonly Pick<CostPart, 'what' | 'count' | 'costUSD'>[] }) {
  const total = parts.reduce((sum, { costUSD }) => sum + costUSD, 0);
  if (parts.length === 0) return null;
  return (
    <table class="usage-table">
      <thead>
        <tr>
          <th scope="col">Made of</th>
          <NumberHeading name="Tokens" />
          <NumberHeading name="Cost" />
          <NumberHeading name="Share" />
        </tr>
      </thead>
      <tbody>
        {parts.map(({ what, count, costUSD }) => (
          <tr key={what}>
            <th scope="row">{PART_NAMES[what]}</th>
            <td class="number-cell">{tokenText(count)}</td>
            <td class="number-cell">{costText(costUSD)}</td>
            <td class="number-cell">{total > 0 ? percentText(costUSD / total) : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Message({ message, chat }: { readonly message: Explained; readonly chat: Params[string] }) {
  const { model, time, costUSD, costFrom, parts, lines, incomplete, estimatedOutput } = message;
  const at = lines.find((line) => line.counted)?.uuid;
  return (
    <details>
      <summary>
        <span class="explain-when number">{fullTime(time)}</span>
        <span class="explain-model">
          {shortModel(model)} <span class="quiet">{tokenText(tokensOf(message.usage))} tokens</span>
        </span>
        <span class="number">
          {costUSD === null ? '?' : costText(costUSD)}
          {incomplete && <abbr title="Its output was not recorded.">*</abbr>}
        </span>
      </summary>
      {costFrom === 'recorded' && <p>The client wrote this cost down.</p>}
      {costFrom === null && <p>The price list does not know {model}: its cost is not counted.</p>}
      {parts.map(({ what, count, price, costUSD: cost }) => (
        <p key={what} class="number">
          {PART_NAMES[what]}: {count.toLocaleString('en')} × ${price} a{' '}
          {what === 'webSearches' ? 'thousand' : 'million'} = {costText(cost)}
        </p>
      ))}
      {incomplete && (
        <p>
          Its output was not recorded; by the length of its text about {estimatedOutput} tokens, which no total holds.
        </p>
      )}
      <ul class="explain-lines">
        {lines.map(({ file, line, counted: counts, why }) => (
          <li key={`${file}:${line}`} class={counts ? undefined : 'quiet'}>
            {counts ? 'Counted' : 'Not counted'}: <code>{`${file}:${line}`}</code> <span class="quiet">{why}</span>
          </li>
        ))}
      </ul>
      {typeof chat === 'string' && at && (
        <a href={hrefOf({ page: 'chat', id: chat, params: { at } })}>Open it in the chat</a>
      )}
    </details>
  );
}
