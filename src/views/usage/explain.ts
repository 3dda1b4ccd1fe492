/** Why a message counts as it does, line by line. */
import type { Usage } from '../../format/usage.ts';
import { isIncomplete, isLarger, type MessageUsage } from '../../graph/usage/fold.ts';
import type { LineOrigin, LineUsage } from '../../graph/usage/line.ts';
import type { Fact, Pricing } from './facts.ts';
import { type CostPart, costParts, PER_DOLLAR } from './rates.ts';

export interface ExplainedLine {
  readonly file: string;
  readonly line: number;
  readonly uuid: string | null;
  readonly usage: Usage;
  /** line: of the message itself · repeat: the same line again · copy: in another file · fork: a copy that says so · progress: in a progress entry */
  readonly kind: LineKind;
  readonly counted: boolean;
  readonly why: string;
}

type LineKind = 'line' | 'repeat' | 'copy' | 'fork' | 'progress';

export interface Explained {
  readonly id: string | null;
  readonly requestId: string | null;
  readonly model: string;
  readonly time: string | null;
  readonly project: string;
  readonly usage: Usage;
  readonly costUSD: number | null;
  /** recorded: written down by the client · computed: tokens by price, as `parts` tell · null: not known */
  readonly costFrom: 'recorded' | 'computed' | null;
  readonly parts: readonly CostPart[];
  readonly incomplete: boolean;
  readonly estimatedOutput: number;
  readonly lines: readonly ExplainedLine[];
}

export function explainMessage(
  message: MessageUsage<LineOrigin>,
  lines: readonly LineUsage[],
  fact: Fact,
  pricing: Pricing,
): Explained {
  const chosen = largestOf(lines);
  const kinds = kindsOf(lines);
  return {
    id: message.key ?? null,
    requestId: message.requestId ?? null,
    model: fact.model,
    time: message.time === undefined ? null : new Date(message.time).toISOString(),
    project: fact.project,
    usage: message.usage,
    costUSD: fact.unpriced > 0 ? null : fact.cost / PER_DOLLAR,
    costFrom: costFrom(message, fact, pricing),
    parts: partsOf(message, fact, pricing),
    incomplete: isIncomplete(message),
    estimatedOutput: fact.estimatedOutput,
    lines: lines.map((line, index) => {
      const kind = kinds[index] ?? 'line';
      const { file, line: number } = line.origin;
      const why = index === chosen ? whyCounted(lines.length) : whyNot(kind, line, message.usage);
      return { file, line: number, uuid: line.uuid ?? null, usage: line.usage, kind, counted: index === chosen, why };
    }),
  };
}

/** As messages are counted: of equal ones the first. */
function largestOf(lines: readonly LineUsage[]): number {
  return lines.reduce((found, { usage }, place) => {
    const largest = lines[found]?.usage;
    return largest === undefined || isLarger(usage, largest) ? place : found;
  }, 0);
}

function costFrom({ costUSD }: MessageUsage<LineOrigin>, { unpriced }: Fact, { mode }: Pricing): Explained['costFrom'] {
  if (unpriced > 0) return null;
  return mode !== 'computed' && costUSD !== undefined ? 'recorded' : 'computed';
}

/** What the cost was computed from; nothing where it was recorded or is not known. */
export function partsOf(message: MessageUsage<LineOrigin>, fact: Fact, pricing: Pricing): CostPart[] {
  const { model, time, usage } = message;
  if (model === undefined || costFrom(message, fact, pricing) !== 'computed') return [];
  const rates = pricing.ratesOf(model, time);
  return rates === undefined ? [] : costParts(usage, rates);
}

export type PartSum = Pick<CostPart, 'what' | 'count' | 'costUSD'>;

/** The parts of many messages, the dearest first. */
export function sumParts(parts: Iterable<CostPart>): PartSum[] {
  const sums = createPartSums();
  sums.add(parts);
  return sums.result();
}

/** The same, told one message after the other. */
export function createPartSums() {
  const sums = new Map<CostPart['what'], PartSum>();
  return {
    add(parts: Iterable<CostPart>): void {
      for (const { what, count, costUSD } of parts) {
        const sum = sums.get(what);
        sums.set(what, { what, count: count + (sum?.count ?? 0), costUSD: costUSD + (sum?.costUSD ?? 0) });
      }
    },
    result: () => [...sums.values()].sort((a, b) => b.costUSD - a.costUSD),
  };
}

function whyCounted(lines: number): string {
  return lines === 1 ? 'the only line' : `the most output of ${lines} lines`;
}

const NAMES: Record<LineKind, string> = {
  line: 'a line of the same message',
  repeat: 'the same line again',
  copy: 'a copy in another file',
  fork: 'a copy in a fork',
  progress: 'a copy in a progress entry',
};

function whyNot(kind: LineKind, { usage }: LineUsage, counted: Usage): string {
  return `${NAMES[kind]}, ${compared(usage, counted)}`;
}

function kindsOf(lines: readonly LineUsage[]): LineKind[] {
  const uuids = new Set<string>();
  /** Where the first line stands that is no copy in a progress entry. */
  let file: string | undefined;
  return lines.map(({ origin, uuid }) => {
    if (origin.isCopy) return 'progress';
    file ??= origin.file;
    const isRepeat = uuid !== undefined && uuids.has(uuid);
    if (uuid !== undefined) uuids.add(uuid);
    if (origin.isFork) return 'fork';
    if (file !== origin.file) return 'copy';
    return isRepeat ? 'repeat' : 'line';
  });
}

function compared(usage: Usage, counted: Usage): string {
  if (usage.output < counted.output) return 'less output';
  return usage.input + usage.cacheCreation + usage.cacheRead < counted.input + counted.cacheCreation + counted.cacheRead
    ? 'less input'
    : 'the same again';
}
