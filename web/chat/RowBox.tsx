/** The place of a row. What is in it is made anew only when the row is another. */
import { useMemo } from 'preact/hooks';
import { RowView, type RowViewProps } from './RowView.tsx';

export interface RowBoxProps extends RowViewProps {
  readonly index: number;
  readonly selected: boolean;
  readonly measure: (element: HTMLElement | null) => void;
  readonly onSelect: (key: string) => void;
}

export function RowBox({ index, selected, measure, onSelect, ...props }: RowBoxProps) {
  const { row, store, branches, branch, onBranch, onEntry } = props;
  const inside = useMemo(() => <RowView {...props} />, [row, store, branches, branch, onBranch, onEntry]);
  const type = row.type === 'item' ? row.item.type : row.type;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys select by j and k
    // biome-ignore lint/a11y/noStaticElementInteractions: a click anywhere selects, as a help for the keys
    <div
      ref={measure}
      data-index={index}
      data-key={row.key}
      data-depth={Math.min(row.depth, 6)}
      tabIndex={-1}
      class={`row row-${type}${selected ? ' selected' : ''}`}
      onClick={() => onSelect(row.key)}
    >
      {inside}
    </div>
  );
}
