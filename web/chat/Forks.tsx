/** Where branches leave the conversation: "2 of 3", and a step to the others. */
import type { BranchRow } from '../../src/views/page/types.ts';
import { Icon } from '../parts/icons.tsx';

export function Forks({
  branches,
  shown,
  forks,
  onBranch,
}: {
  readonly branches: readonly BranchRow[];
  /** The branch that is read. */
  readonly shown: number;
  /** Those that leave here. */
  readonly forks: readonly number[];
  readonly onBranch: (branch: number) => void;
}) {
  const all = [shown, ...forks].sort((a, b) => a - b);
  const place = all.indexOf(shown);
  const step = (by: number) => onBranch(all[(place + by + all.length) % all.length] ?? shown);
  const words = branches[shown]?.prompt;
  return (
    <div class="forks">
      <Icon name="branch" />
      <button type="button" class="icon-button" aria-label="Previous branch" onClick={() => step(-1)}>
        <Icon name="left" />
      </button>
      <span class="number">
        {place + 1} of {all.length}
      </span>
      <button type="button" class="icon-button" aria-label="Next branch" onClick={() => step(1)}>
        <Icon name="right" />
      </button>
      {words && (
        <span class="forks-prompt" dir="auto">
          {words}
        </span>
      )}
    </div>
  );
}
