/** What a report is made of: messages, or sums of messages that every grouping keeps together. */
import type { MessageUsage } from '../../graph/usage/fold.ts';
import { isIncomplete } from '../../graph/usage/fold.ts';
import type { LineOrigin } from '../../graph/usage/line.ts';
import { costOf, PER_DOLLAR, type Rates } from './rates.ts';

export interface Sums {
  readonly messages: number;
  readonly input: number;
  readonly output: number;
  readonly cacheCreation: number;
  readonly cacheRead: number;
  /** The part of cacheCreation that is kept for an hour. */
  readonly cacheCreation1h: number;
  readonly webSearches: number;
  /** Billionths of a dollar, of the messages whose cost is known. */
  readonly cost: number;
  /** Messages whose cost is not known. */
  readonly unpriced: number;
  /** Messages whose output was not recorded (E17). */
  readonly incomplete: number;
  /** What those may have put out; no part of output and cost. */
  readonly estimatedOutput: number;
}

export interface Fact extends Sums {
  /** Milliseconds. */
  readonly time: number | undefined;
  readonly model: string;
  readonly project: string;
  readonly gitBranch: string;
  /** The file it is counted under. */
  readonly file: string;
  /** '' is the main conversation; else the sub-agent. */
  readonly agentId: string;
  /** Of the sums of a day, which begins at `time`: the quarters of an hour in which there was a message (daycells.ts). */
  readonly quarters?: readonly number[];
  /** Of a team: who, as they are called there, and their login. */
  readonly person?: string;
  readonly owner?: string;
}

/** recorded: what 1.0.x wrote down · computed: tokens by price list · auto: recorded where it is, else computed. */
export type CostMode = 'auto' | 'recorded' | 'computed';

export interface Pricing {
  readonly mode: CostMode;
  ratesOf(model: string, time: number | undefined): Rates | undefined;
}

export function toFact(message: MessageUsage<LineOrigin>, project: string, pricing: Pricing): Fact {
  const { usage, origin, time } = message;
  // Some writers leave the name empty.
  const model = message.model || 'unknown';
  const cost = costOfMessage(message, pricing);
  const incomplete = isIncomplete(message);
  return {
    time,
    model,
    project,
    gitBranch: origin.gitBranch ?? '',
    file: origin.file,
    agentId: origin.agentId ?? (origin.isSidechain ? 'inline' : ''),
    messages: 1,
    input: usage.input,
    output: usage.output,
    cacheCreation: usage.cacheCreation,
    cacheRead: usage.cacheRead,
    cacheCreation1h: usage.cacheCreation1h ?? 0,
    webSearches: usage.webSearches ?? 0,
    cost: cost ?? 0,
    unpriced: cost === undefined ? 1 : 0,
    incomplete: incomplete ? 1 : 0,
    // One copy may have recorded what another had to be guessed of.
    estimatedOutput: incomplete ? (message.estimate ?? 0) : 0,
  };
}

export function costOfMessage(message: MessageUsage<LineOrigin>, { mode, ratesOf }: Pricing): number | undefined {
  const { costUSD, usage, model, time } = message;
  if (mode !== 'computed' && costUSD !== undefined) return Math.round(costUSD * PER_DOLLAR);
  const rates = mode === 'recorded' || model === undefined ? undefined : ratesOf(model, time);
  return rates && costOf(usage, rates);
}

export const NOTHING: Sums = {
  messages: 0,
  input: 0,
  output: 0,
  cacheCreation: 0,
  cacheRead: 0,
  cacheCreation1h: 0,
  webSearches: 0,
  cost: 0,
  unpriced: 0,
  incomplete: 0,
  estimatedOutput: 0,
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Adds to the first. */
export function addTo(sum: Mutable<Sums>, more: Sums): void {
  sum.messages += more.messages;
  sum.input += more.input;
  sum.output += more.output;
  sum.cacheCreation += more.cacheCreation;
  sum.cacheRead += more.cacheRead;
  sum.cacheCreation1h += more.cacheCreation1h;
  sum.webSearches += more.webSearches;
  sum.cost += more.cost;
  sum.unpriced += more.unpriced;
  sum.incomplete += more.incomplete;
  sum.estimatedOutput += more.estimatedOutput;
}
