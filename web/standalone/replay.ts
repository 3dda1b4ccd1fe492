/** A chat that grows step by step, one item at a time: to its page it is a session that is being written. */
import type { EmbeddedBranch, EmbeddedChat } from '../../src/views/page/embedded.ts';
import { FAILED } from '../../src/views/page/failed.ts';
import type { LiveEvent } from '../../src/views/page/types.ts';
import type { Api } from '../app/api.ts';
import { embeddedApi } from '../app/embedded.ts';

export interface Replay {
  readonly api: Api;
  /** How many steps a branch has; the first step shows its first item. */
  stepsOf(branch: number): number;
  /** Which is shown. */
  step(): number;
  /** The entry that the step has brought. */
  newest(branch: number): string | undefined;
  show(step: number): void;
  onStep(listener: () => void): () => void;
}

export function createReplay(chat: EmbeddedChat): Replay {
  let step = 1;
  const listeners = new Set<() => void>();
  const tellers = new Set<(event: LiveEvent) => void>();
  const whole = embeddedApi(chat);
  const now = () => embeddedApi({ ...chat, branches: chat.branches.map((branch) => upTo(branch, step)) });
  const stepsOf = (place: number) => {
    const branch = chat.branches.find(({ page }) => page.branch === place);
    return branch?.turns.reduce((sum, { items }) => sum + Math.max(1, items.length), 0) ?? 0;
  };
  return {
    api: {
      ...whole,
      chat: (...asked) => now().chat(...asked),
      turns: (...asked) => now().turns(...asked),
      listen(onEvent) {
        tellers.add(onEvent);
        return () => tellers.delete(onEvent);
      },
    },
    stepsOf,
    step: () => step,
    newest: (place) => {
      const branch = chat.branches.find(({ page }) => page.branch === place);
      const turn = branch && upTo(branch, step).turns.at(-1);
      return turn?.items.at(-1)?.uuid ?? turn?.uuid ?? undefined;
    },
    show(next) {
      if (next === step) return;
      step = next;
      for (const listener of listeners) listener();
      for (const tell of tellers) tell({ type: 'chats' });
    },
    onStep(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A turn in which nothing is shown takes a step of its own. */
export function upTo({ page, turns }: EmbeddedBranch, step: number): EmbeddedBranch {
  const shown: (typeof turns)[number][] = [];
  let left = step;
  for (const turn of turns) {
    if (left <= 0) break;
    const items = turn.items.slice(0, left);
    const isWhole = items.length === turn.items.length;
    const statuses = items.flatMap((item) => (item.type === 'call' ? item.call.status : []));
    const failures = statuses.filter((status) => FAILED.has(status)).length;
    const calls = statuses.length;
    // What it says of its end and its calls is what is seen of them, so that it counts as changed when more is.
    shown.push(isWhole ? turn : { ...turn, items, calls, failures, state: 'open', ended: null, durationMs: null });
    left -= Math.max(1, turn.items.length);
  }
  const heads = shown.map(({ items: _, generations: __, ...head }) => head);
  return { page: { ...page, version: `step ${step}`, turns: heads }, turns: shown };
}
