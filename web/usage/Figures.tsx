/** Four numbers first. Each explains itself on click. */
import type { UsageAnswer } from '../app/answers.ts';
import { duration } from '../parts/clock.ts';
import { costOfRow, counted, percentText, tokenText } from './amounts.ts';
import { hitRate, tokensOf } from './series.ts';

export type FigureName = 'cost' | 'tokens' | 'cache' | 'time';

export interface FiguresProps {
  readonly usage: UsageAnswer;
  readonly onExplain: (figure: FigureName) => void;
}

export function Figures({ usage, onExplain }: FiguresProps) {
  const { totals, activeMs, unknownModels } = usage;
  const hits = hitRate(totals);
  const incomplete = totals.incomplete > 0;
  const figure = (name: FigureName, label: string, value: string, small: string, mark?: string) => (
    <button type="button" class="figure" key={name} onClick={() => onExplain(name)} aria-haspopup="dialog">
      <span class="figure-label">{label}</span>
      <span class="figure-value number">
        {value}
        {mark && (
          <abbr class="figure-mark" title={mark}>
            *
          </abbr>
        )}
      </span>
      <span class="figure-small number">{small}</span>
    </button>
  );
  return (
    <div class="figures">
      {figure(
        'cost',
        'Cost',
        costOfRow(totals),
        unknownModels.length > 0 ? `no price for ${unknownModels.join(', ')}` : 'by the price list',
      )}
      {figure(
        'tokens',
        'Tokens',
        tokenText(tokensOf(totals)),
        `${tokenText(totals.output)} put out in ${counted(totals.messages, 'message')}`,
        incomplete ? incompleteText(totals) : undefined,
      )}
      {figure(
        'cache',
        'Cache hit rate',
        hits === undefined ? '–' : percentText(hits),
        `${tokenText(totals.cacheRead)} read from the cache`,
      )}
      {figure('time', 'Time', activeMs > 0 ? duration(activeMs) : '–', 'quarter hours with an answer')}
    </div>
  );
}

export function incompleteText({ incomplete, estimatedOutput }: UsageAnswer['totals']): string {
  return `The output of ${counted(incomplete, 'message')} was not recorded; about ${tokenText(estimatedOutput)} more by the length of their text, counted nowhere.`;
}
