/** What `run` was told to do, and how `install` tells it. */
import { wholeNumber } from '../arguments.ts';
import type { Arguments } from '../command.ts';
import { UsageError } from '../errors.ts';

export interface HookChoice {
  readonly archive: boolean;
  readonly langfuse: boolean;
  readonly otlp: string | undefined;
  /** The team that what is new is pushed to. */
  readonly team: string | undefined;
  readonly content: boolean;
  readonly waitMs: number;
  readonly timeoutMs: number;
}

const WAIT_MS = 1500;
const TIMEOUT_MS = 8000;

export function choiceOf(args: Arguments): HookChoice {
  const [langfuse, otlp] = [args.flag('langfuse'), args.value('otlp')];
  return {
    archive: args.flag('archive') || (!langfuse && otlp === undefined),
    langfuse,
    otlp,
    team: args.value('team'),
    content: !args.flag('no-content'),
    waitMs: wholeNumber(args, 'wait') ?? WAIT_MS,
    timeoutMs: wholeNumber(args, 'timeout', 100) ?? TIMEOUT_MS,
  };
}

export const CHOICES = ['archive', 'langfuse', 'otlp', 'team', 'no-content', 'save-keys', 'wait', 'timeout'];

/** Options that say something to other parts only: `uninstall --archive` would not leave the rest installed. */
export function refuseOthers(args: Arguments, part: string, taken: readonly string[]): void {
  const others = [...CHOICES, 'project', 'dry-run', 'follow'].filter((name) => !taken.includes(name));
  const given = others.find((name) => args.flag(name) || args.values(name).length > 0);
  if (given === undefined) return;
  const next = CHOICES.includes(given)
    ? 'To change what the hook does, install it again as it is to be: skein hook install …'
    : 'Run: skein hook --help';
  throw new UsageError(`skein hook ${part} does not take --${given}.`, `--${given}`, next);
}

/** The arguments that give this choice again. */
export function argumentsOf(choice: HookChoice): string[] {
  return [
    'hook',
    'run',
    ...(choice.archive ? ['--archive'] : []),
    ...(choice.langfuse ? ['--langfuse'] : []),
    ...(choice.otlp === undefined ? [] : ['--otlp', choice.otlp]),
    ...(choice.team === undefined ? [] : ['--team', choice.team]),
    ...(choice.content ? [] : ['--no-content']),
    ...(choice.waitMs === WAIT_MS ? [] : ['--wait', String(choice.waitMs)]),
    ...(choice.timeoutMs === TIMEOUT_MS ? [] : ['--timeout', String(choice.timeoutMs)]),
  ];
}
