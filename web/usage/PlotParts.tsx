/** What stands around the bars: the key, what a bar is made of, and all of it as a table. */
import { costText } from './amounts.ts';
import type { Column, Span, Stacked } from './series.ts';
import { keyText } from './spans.ts';

/** What is drawn, by what it is stacked, and what to call each. */
export interface Drawn {
  readonly data: Stacked;
  readonly by: string;
  readonly nameOf: (name: string) => string;
}

export function Legend({ data, nameOf }: Drawn) {
  return (
    <ul class="plot-legend small">
      {data.series.map(({ name, total }, index) => (
        <li key={name} title={name}>
          <span class={`plot-key series-${index + 1}`} />
          {nameOf(name)} <span class="quiet number">{costText(total)}</span>
        </li>
      ))}
    </ul>
  );
}

export function TipRows({
  column,
  span,
  data,
  nameOf,
}: Drawn & {
  readonly column: Column;
  readonly span: Span;
}) {
  return (
    <>
      <p class="tip-head">
        {keyText(column.key, span, false)} <strong class="number">{costText(column.total)}</strong>
      </p>
      {data.series.map(({ name }, index) => {
        const part = column.parts[index] ?? 0;
        return part === 0 ? null : (
          <p key={name} class="tip-row">
            <span class={`plot-key series-${index + 1}`} />
            {nameOf(name)} <span class="number">{costText(part)}</span>
          </p>
        );
      })}
    </>
  );
}

export function tipText(column: Column, { data: { series }, nameOf }: Drawn, span: Span): string {
  const parts = series.flatMap(({ name }, index) =>
    column.parts[index] ? `${nameOf(name)} ${costText(column.parts[index] ?? 0)}` : [],
  );
  return `${keyText(column.key, span, false)}: ${costText(column.total)}. ${parts.join(', ')}`;
}

/** The same for those who do not see the picture. */
export function PlotTable({ data, by, nameOf, span }: Drawn & { readonly span: Span }) {
  return (
    <div class="visually-hidden">
      <table>
        <caption>
          Cost by {span} and {by}
        </caption>
        <thead>
          <tr>
            <th scope="col">{span}</th>
            {data.series.map(({ name }) => (
              <th key={name} scope="col">
                {nameOf(name)}
              </th>
            ))}
            <th scope="col">Total</th>
          </tr>
        </thead>
        <tbody>
          {data.columns
            .filter(({ total }) => total > 0)
            .map(({ key, parts, total }) => (
              <tr key={key}>
                <th scope="row">{keyText(key, span, false)}</th>
                {parts.map((part, index) => (
                  <td key={index}>{costText(part)}</td>
                ))}
                <td>{costText(total)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
