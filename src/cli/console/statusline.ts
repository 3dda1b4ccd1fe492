/** The last line: which model, what it may do, how full its context is, what it cost, where we are. */

import { visibleWidth } from '@earendil-works/pi-tui/dist/utils.js';
import { safeLine } from '../../views/safe.ts';
import { dollars, shortModel, tokenText } from '../../views/usage/amounts.ts';
import { PER_DOLLAR } from '../../views/usage/rates.ts';
import { apart, fit } from './lines.ts';
import type { Palette } from './palette.ts';

export interface Status {
  readonly model: string;
  readonly mode: string;
  readonly context: number | undefined;
  readonly window: number;
  readonly costUSD: number;
  readonly gitBranch: string;
  /** Keys that work now. */
  readonly keys: string;
}

const MODES: Readonly<Record<string, string>> = {
  default: 'asks first',
  acceptEdits: 'edits unasked',
  plan: 'plan',
  dontAsk: 'denies what it would ask',
  bypassPermissions: 'asks nothing',
};

/** Parts that do not fit are left out, the least important first. */
export function statusLine(status: Status, width: number, palette: Palette): string {
  const { dim } = palette;
  const parts: { readonly text: string; readonly weight: number }[] = [
    { text: modeText(status.mode, palette), weight: 5 },
    { text: dim(safeLine(shortModel(status.model))), weight: 4 },
    { text: contextText(status, palette), weight: 3 },
    { text: status.costUSD > 0 ? dim(dollars(status.costUSD * PER_DOLLAR)) : '', weight: 2 },
    { text: status.gitBranch === '' ? '' : dim(fit(`⎇ ${safeLine(status.gitBranch)}`, 24)), weight: 1 },
  ].filter(({ text }) => text !== '');
  const separator = dim(' · ');
  const join = (shown: typeof parts) => ` ${shown.map(({ text }) => text).join(separator)}`;
  const keys = dim(status.keys);
  let shown = parts;
  // The keys of now are worth more than where we are.
  while (shown.length > 2 && visibleWidth(join(shown)) + visibleWidth(keys) + 3 > width) {
    const least = Math.min(...shown.map(({ weight }) => weight));
    shown = shown.filter(({ weight }) => weight !== least);
  }
  return apart(join(shown), `${keys} `, width);
}

function modeText(mode: string, { dim, accent, warn, bad }: Palette): string {
  const words = safeLine(MODES[mode] ?? mode);
  if (mode === 'bypassPermissions') return bad(`⏵⏵ ${words}`);
  if (mode === 'acceptEdits') return warn(`⏵⏵ ${words}`);
  return mode === 'plan' ? accent(`◇ ${words}`) : dim(words);
}

function contextText({ context, window }: Status, { dim, warn, bad }: Palette): string {
  if (context === undefined || window === 0) return '';
  const share = Math.round((100 * context) / window);
  const text = `${tokenText(context)} of ${window >= 1e6 ? `${window / 1e6}M` : `${Math.round(window / 1000)}k`} (${share}%)`;
  if (share >= 90) return bad(text);
  return share >= 75 ? warn(text) : dim(text);
}
