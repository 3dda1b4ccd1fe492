/** Filters as chips: those that are typed, to be taken out, and some that are often wanted. */
import { filtersIn } from '../../src/views/search/query.ts';
import { Icon } from '../parts/icons.tsx';
import { toggled, without } from './complete.ts';

const OFTEN: readonly { readonly name: string; readonly value: string; readonly label: string }[] = [
  { name: 'in', value: 'prompt', label: 'Prompts' },
  { name: 'in', value: 'answer', label: 'Answers' },
  { name: 'in', value: 'tool', label: 'Tools' },
  { name: 'in', value: 'thinking', label: 'Thinking' },
  { name: 'is', value: 'error', label: 'Errors' },
  { name: 'after', value: '7d', label: 'Last 7 days' },
];

export interface ChipsProps {
  readonly text: string;
  readonly sort: string;
  readonly onText: (text: string) => void;
  readonly onSort: (sort: string) => void;
}

export function Chips({ text, sort, onText, onSort }: ChipsProps) {
  const typed = filtersIn(text);
  const isOn = (name: string, value: string) =>
    typed.some((each) => each.name === name && each.value === value && !each.negated);
  const others = typed.filter(
    ({ name, value, negated }) => negated || !OFTEN.some((each) => each.name === name && each.value === value),
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row everywhere
    <div class="search-chips" role="group" aria-label="Filters">
      {others.map((filter) => (
        <button
          type="button"
          key={`${filter.start}`}
          class="button chip-typed"
          onClick={() => onText(without(text, filter))}
          aria-label={`Take out ${filter.name}: ${filter.value}`}
        >
          <span>
            {filter.negated && 'not '}
            <span class="quiet">{filter.name}:</span> {filter.value}
          </span>
          <Icon name="close" />
        </button>
      ))}
      {OFTEN.map(({ name, value, label }) => (
        <button
          type="button"
          key={label}
          class="button"
          title={`${name}:${value}`}
          aria-pressed={isOn(name, value)}
          onClick={() => onText(toggled(text, name, value))}
        >
          {label}
        </button>
      ))}
      <span class="search-sort">
        <select
          class="field"
          aria-label="Order"
          value={sort}
          onChange={({ currentTarget }) => onSort(currentTarget.value)}
        >
          <option value="rank">Best first</option>
          <option value="date">Newest first</option>
        </select>
      </span>
    </div>
  );
}
