/** The one line a status line shows. */
import { costText, type Spent, tokenText } from './amounts.ts';
import { BLOCK_MS } from './blocks.ts';

export interface Status {
  readonly model?: string;
  /** `isPart`: what is counted of it is not all; the client tells all of it. */
  readonly session?: Spent & { readonly isPart?: boolean };
  readonly today?: Spent;
  readonly block?: Spent & { readonly start: number };
  /** Some files are not read yet: the sums are at least this. */
  readonly partial: boolean;
  readonly context?: { readonly tokens: number; readonly share?: number };
}

export function statusText(status: Status, now: number): string {
  const least = status.partial ? '≥' : '';
  const parts = [
    status.model,
    status.session === undefined ? undefined : `${status.session.isPart ? '≥' : ''}${costText(status.session)} session`,
    status.today === undefined ? undefined : `${least}${costText(status.today)} today`,
    status.block && `${least}${costText(status.block)} block, ${timeText(status.block.start + BLOCK_MS - now)} left`,
    status.context && contextText(status.context),
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(' · ') : 'skein';
}

export function timeText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function contextText({ tokens, share }: { tokens: number; share?: number }): string {
  return `${tokenText(tokens)}${share === undefined ? '' : ` (${Math.round(share * 100)}%)`} context`;
}
