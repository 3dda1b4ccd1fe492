/** Cost stacked by what only a team has: people and teams. */
import type { Api, Params } from '../app/api.ts';
import { useAnswer } from '../app/useAnswer.ts';
import { Failed } from '../parts/Failed.tsx';
import { CostPlot, type CostPlotProps } from './CostPlot.tsx';
import { teamName } from './TeamParts.tsx';
import { useLast } from './useLast.ts';

export interface TeamPlotProps extends Omit<CostPlotProps, 'rows' | 'nameOf'> {
  readonly api: Api;
  readonly asked: Params;
}

export function TeamPlot({ api, asked, by, ...plot }: TeamPlotProps) {
  const days = useAnswer(`days ${by} ${JSON.stringify(asked)}`, (more) =>
    api.usage({ ...asked, by: `day,${by}` }, more),
  );
  const usage = useLast(days.value);
  if (days.error) return <Failed error={days.error} retry={days.retry} />;
  if (usage === undefined) return <div class="skeleton usage-skeleton" role="status" aria-label="Counting" />;
  return <CostPlot {...plot} rows={usage.rows} by={by} nameOf={by === 'team' ? teamName : (person) => person} />;
}
