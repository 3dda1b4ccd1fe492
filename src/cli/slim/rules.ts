/** `--keep` and `--drop`: which tool calls a person means, by tool, file, size and age. */
import type { CallFacts, CallRules } from '../../edit/slim/regions.ts';
import { parseTimestamp } from '../../format/time.ts';
import { holdsLike, namesLike } from '../../views/search/filter.ts';
import { fileOf } from '../../views/search/parts.ts';
import type { Arguments } from '../command.ts';
import { UsageError } from '../errors.ts';
import { amountOf } from './amounts.ts';

type Test = (call: CallFacts) => boolean;

export const RULE_HELP =
  'tool:NAME, file:PATH, size:>10k, age:>2d; `*` stands for anything, a comma means that both must fit (repeatable)';

export function rulesOf(args: Arguments, now: Date): CallRules {
  const any = (option: string): Test | undefined => {
    const tests = args.values(option).map((text) => ruleOf(text, `--${option} ${text}`, now));
    return tests.length === 0 ? undefined : (call) => tests.some((fits) => fits(call));
  };
  return { keep: any('keep'), drop: any('drop') };
}

function ruleOf(text: string, where: string, now: Date): Test {
  const tests = text.split(',').map((part) => testOf(part.trim(), where, now));
  return (call) => tests.every((fits) => fits(call));
}

function testOf(text: string, where: string, now: Date): Test {
  const [, what = '', wanted = ''] = /^(\w+):(.+)$/.exec(text) ?? [];
  if (what === 'tool') return ({ tool }) => namesLike(tool, wanted);
  if (what === 'file') return (call) => holdsLike(fileOf(call.input()) ?? '', wanted);
  const [, sign, amount = ''] = /^([<>])=?(.+)$/.exec(wanted) ?? [];
  if (sign === undefined || (what !== 'size' && what !== 'age')) {
    throw new UsageError(`"${text}" is not a rule.`, where, `Rules are ${RULE_HELP}.`);
  }
  const limit = what === 'size' ? amountOf(amount, where) : spanOf(amount, where);
  const fits = (value: number) => (sign === '>' ? value > limit : value < limit);
  if (what === 'size') return ({ bytes }) => fits(bytes);
  return ({ time }) => time !== undefined && fits(now.getTime() - parseTimestamp(time));
}

const SPANS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

function spanOf(text: string, where: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text) ?? [];
  if (count === undefined) throw new UsageError(`"${text}" is not a span of time.`, where, 'Give 30m, 12h, 2d or 1w.');
  return Number(count) * (SPANS[unit] ?? 0);
}
