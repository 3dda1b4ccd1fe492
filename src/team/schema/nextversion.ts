/**
 * Of a row that replaces another: larger than that one's, whatever the clock here says. As a text where a number would lose digits, which
 * the server reads as well.
 */
export function nextVersion(before: bigint | undefined, now: number): number | string {
  const next = before === undefined || before < BigInt(now) ? BigInt(now) : before + 1n;
  return next <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(next) : String(next);
}
