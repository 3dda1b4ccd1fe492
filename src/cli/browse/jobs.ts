/** The verb that works for the screen: one at a time, its answer told as events. */
import { foundIn, measuredIn, slimmedIn } from './answers.ts';
import type { Effect, Event } from './state.ts';
import { failureOf, type Job, readVerb, runVerb, type VerbOptions } from './verbs.ts';

const MOST_HITS = 200;

type Asking = Extract<Effect, { kind: 'search' | 'measure' | 'slim' }>;
type Reading = Extract<Effect, { kind: 'read' }>;

export interface Jobs {
  read(effect: Reading): void;
  ask(effect: Asking): void;
  stop(): void;
}

export function createJobs(options: VerbOptions & { readonly isColored: boolean }, tell: (event: Event) => void): Jobs {
  let running: Job | undefined;
  const stop = () => {
    running?.stop();
    running = undefined;
  };
  return {
    stop,
    read({ job, argv, width }) {
      stop();
      let isSaid = false;
      running = readVerb(
        { ...options, width },
        argv,
        (lines, isCut) => {
          isSaid = true;
          tell({ kind: 'text', job, lines, isCut });
        },
        (code, err) => {
          // 1 is also said of a chat in which nothing was said.
          const isFailed = code > 1 || (code === 1 && !isSaid && err.includes('skein:'));
          tell(isFailed ? { kind: 'failed', job, words: failureOf(err) } : { kind: 'ended', job });
        },
      );
    },
    ask(effect) {
      stop();
      running = runVerb(options, argvOf(effect), ({ out, err }) => {
        tell(answerOf(effect, out) ?? { kind: 'failed', job: effect.job, words: failureOf(err) });
      });
    },
  };
}

function argvOf(effect: Asking): string[] {
  switch (effect.kind) {
    case 'search':
      return ['search', '--json', '--limit', String(MOST_HITS), '--', effect.words];
    case 'measure':
      return ['slim', effect.chat.file.file, '--dry-run', '--json'];
    case 'slim':
      return ['slim', effect.chat.file.file, '--preset', effect.preset, '--json'];
  }
}

function answerOf(effect: Asking, out: string): Event | undefined {
  const { job } = effect;
  switch (effect.kind) {
    case 'search': {
      const found = foundIn(out);
      return found && { kind: 'found', job, ...found };
    }
    case 'measure': {
      const measured = measuredIn(out);
      return measured && { kind: 'measured', job, ...measured };
    }
    case 'slim':
      return out === '' ? undefined : { kind: 'slimmed', job, words: slimmedIn(out) };
  }
}
