/** Which time, which bars, which project: all in the address. */
import { go, withParams } from '../app/router.ts';
import { projectsOf } from '../list/rows.ts';
import { type Choices, RANGES, rangeParam, STACKS } from './choices.ts';
import { SPANS } from './series.ts';
import type { UsageProps } from './Usage.tsx';

export function Choosing({ route, list, choices }: Pick<UsageProps, 'route' | 'list'> & { readonly choices: Choices }) {
  const set = (changes: Record<string, string>) => go(withParams(route, changes), { replace: true });
  return (
    <div class="usage-choices">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row everywhere */}
      <div class="choice" role="group" aria-label="Time">
        {RANGES.map(({ range, label }) => (
          <button
            type="button"
            key={range}
            class="button"
            aria-pressed={choices.range === range}
            onClick={() => set({ range: rangeParam(range) })}
          >
            {label}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: the same */}
      <div class="choice" role="group" aria-label="Bars">
        {SPANS.map((span) => (
          <button
            type="button"
            key={span}
            class="button"
            aria-pressed={choices.span === span}
            onClick={() => set({ by: span === 'day' ? '' : span })}
          >
            {span === 'day' ? 'Days' : span === 'week' ? 'Weeks' : 'Months'}
          </button>
        ))}
      </div>
      {list?.team !== undefined && (
        <select
          class="field"
          aria-label="Bars are stacked by"
          value={choices.stack}
          onChange={({ currentTarget }) => set({ stack: currentTarget.value === 'model' ? '' : currentTarget.value })}
        >
          {STACKS.map((stack) => (
            <option key={stack} value={stack}>
              By {stack}
            </option>
          ))}
        </select>
      )}
      <select
        class="field"
        aria-label="Project"
        value={choices.project}
        onChange={({ currentTarget }) => set({ project: currentTarget.value })}
      >
        <option value="">All projects</option>
        {projectsOf(list?.chats ?? []).map(({ project, name }) => (
          <option key={project} value={project}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
