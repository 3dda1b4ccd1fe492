/** Sums with bars as long as their share: projects, models. */
import { costOfRow, percentText, tokenText } from './amounts.ts';
import { NumberHeading, ShareHeading } from './headings.tsx';
import { hitRate, type Sum, tokensOf } from './series.ts';

export interface SharesProps {
  /** What the first column holds. */
  readonly what: string;
  readonly sums: readonly Sum[];
  readonly nameOf: (key: string) => string;
  /** Without it the cost is but a number. */
  readonly onExplain?: (key: string) => void;
}

const SHOWN = 12;

export function Shares({ what, sums, nameOf, onExplain }: SharesProps) {
  const largest = Math.max(...sums.map(({ costUSD }) => costUSD ?? 0), Number.MIN_VALUE);
  return (
    <table class="usage-table">
      <thead>
        <tr>
          <th scope="col">{what}</th>
          <NumberHeading name="Cost" />
          <ShareHeading />
          <NumberHeading name="Tokens" narrow={false} />
          <NumberHeading name="Cache" narrow={false} />
        </tr>
      </thead>
      <tbody>
        {sums.slice(0, SHOWN).map((sum) => {
          const hits = hitRate(sum);
          return (
            <tr key={sum.key}>
              <th scope="row" title={sum.key} dir="auto">
                {nameOf(sum.key)}
              </th>
              <td class="number-cell">
                {onExplain === undefined ? (
                  costOfRow(sum)
                ) : (
                  <button type="button" class="explains" onClick={() => onExplain(sum.key)}>
                    {costOfRow(sum)}
                  </button>
                )}
              </td>
              <td class="bar-cell">
                <Share of={(sum.costUSD ?? 0) / largest} />
              </td>
              <td class="number-cell narrow-off">
                {tokenText(tokensOf(sum))}
                {sum.incomplete > 0 && (
                  <abbr title={`The output of ${sum.incomplete} messages was not recorded.`}>*</abbr>
                )}
              </td>
              <td class="number-cell narrow-off">{hits === undefined ? '' : percentText(hits)}</td>
            </tr>
          );
        })}
      </tbody>
      {sums.length > SHOWN && (
        <tfoot>
          <tr>
            <td class="quiet" colSpan={5}>
              and {sums.length - SHOWN} more
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

export function Share({ of, bad = false }: { readonly of: number; readonly bad?: boolean }) {
  return (
    <span class="share" aria-hidden="true">
      <span
        class={bad ? 'share-bar bad' : 'share-bar'}
        ref={(element) => element?.style.setProperty('width', `${Math.min(100, of * 100)}%`)}
      />
    </span>
  );
}
