import { describe, expect, test } from 'vitest';
import { type Budget, budgetStates } from '../../../src/views/usage/budgets.ts';
import { type Fact, NOTHING } from '../../../src/views/usage/facts.ts';
import { PER_DOLLAR } from '../../../src/views/usage/rates.ts';

function spent(time: string, usd: number): Fact {
  const place = { model: 'm', project: 'p', gitBranch: '', file: '', agentId: '' };
  return { ...NOTHING, ...place, time: Date.parse(time), messages: 1, cost: usd * PER_DOLLAR };
}

const FACTS = [
  spent('2026-10-31T23:59:59Z', 100),
  spent('2026-11-01T00:00:00Z', 3),
  spent('2026-11-08T23:00:00Z', 2),
  spent('2026-11-09T01:00:00Z', 4),
  spent('2026-11-11T05:00:00Z', 1),
];

function state(period: Budget['period'], usd: number, now: string, timeZone = 'UTC') {
  const budget: Budget = { scope: 'project', name: 'p', period, usd };
  return budgetStates([budget], FACTS, { now: Date.parse(now), timeZone, isOf: () => true })[0];
}

describe('budgets', () => {
  test('the period that runs, and where it will end at this rate', () => {
    // A Wednesday: 10 days and 12 hours of 30 are over.
    const month = state('month', 30, '2026-11-11T12:00:00Z');
    expect(month).toMatchObject({ from: '2026-11', spentUSD: 10, leftUSD: 20, gone: 10.5 / 30, state: 'fine' });
    expect(month?.forecastUSD).toBeCloseTo(10 / (10.5 / 30), 9);
    const week = state('week', 10, '2026-11-11T12:00:00Z');
    expect(week).toMatchObject({ from: '2026-11-09', spentUSD: 5, gone: 2.5 / 7, state: 'ahead' });
    expect(state('day', 0.5, '2026-11-11T12:00:00Z')).toMatchObject({
      spentUSD: 1,
      leftUSD: -0.5,
      gone: 0.5,
      state: 'over',
    });
  });

  test('days are those of the time zone', () => {
    // 23:00 UTC on Sunday is Monday in Tokyo.
    expect(state('week', 10, '2026-11-11T12:00:00Z', 'Asia/Tokyo')?.spentUSD).toBe(7);
  });

  test('the first hour tells no rate, and the last of a period is whole', () => {
    expect(state('day', 9, '2026-11-09T00:00:00Z')?.gone).toBeCloseTo(1 / 24, 9);
    expect(state('month', 9, '2026-11-30T23:59:59.999Z')?.gone).toBeCloseTo(1, 6);
    // February, and a day of 25 hours.
    expect(state('month', 9, '2026-02-15T00:00:00Z')?.gone).toBe(0.5);
    expect(state('day', 9, '2026-11-02T04:59:00Z', 'America/New_York')?.gone).toBeLessThanOrEqual(1);
  });
});
