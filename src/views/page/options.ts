/** What the page model is told. Texts are masked before they are cut. */
import type { ViewOptions } from '../options.ts';

export type PageOptions = Pick<ViewOptions, 'mask' | 'resolve' | 'agentOf'>;

/** So many items of a turn come at once. */
export const ITEMS_PART = 500;

/** As much of a prompt as an outline shows. */
export const PROMPT_LENGTH = 200;
/** A secret that begins before the cut is seen whole by the mask, unless it is longer than this. */
export const MASKED_LENGTH = 20_000;

export function maskOf({ mask }: PageOptions): (text: string) => string {
  return mask ?? ((text) => text);
}

/** A name as a page has it: of a tool, a model, a kind of agent. */
export function nameOf(name: string | undefined, options: PageOptions): string | null {
  return name === undefined ? null : maskOf(options)(name);
}

/** Not between the halves of a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}
