/** A turn with all a reader meets in it. */
import { blocksOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import type { Message, Turn } from '../../graph/types.ts';
import { COMPACTED, type Item, itemsOf, SUMMARY } from '../items.ts';
import { maskedItem } from '../masked.ts';
import { callRow } from './call.ts';
import { ITEMS_PART, nameOf, type PageOptions } from './options.ts';
import type { Generation, PageImage, PageItem, PageTurn, TurnHead } from './types.ts';

/** With `part` only that part of a turn with very many items, and the generations that show in it. */
export function pageTurn(turn: Turn, head: TurnHead, options: PageOptions, part?: number): PageTurn {
  const all = readItems(turn);
  const from = part === undefined ? 0 : part * ITEMS_PART;
  const to = part === undefined ? all.length : Math.min(all.length, from + ITEMS_PART);
  const items = all.slice(from, to).map(({ item, summary }) => toPageItem(item, summary, options));
  const shown = new Set(items.map(({ uuid }) => uuid));
  const isWhole = items.length === all.length;
  const generations = turn.messages.flatMap((message) =>
    isWhole || message.entryUuids.some((uuid) => shown.has(uuid)) ? generationOf(message, shown, options) : [],
  );
  return { ...head, items, more: all.length - to, generations };
}

type Shown = ReturnType<typeof withSummaries>;

/** Of turns that are asked for part by part. */
const long = new WeakMap<Turn, Shown>();

function readItems(turn: Turn): Shown {
  const items = long.get(turn) ?? withSummaries(itemsOf(turn));
  if (items.length > ITEMS_PART) long.set(turn, items);
  return items;
}

/** The summary that follows a compaction is opened from its line. */
export function withSummaries(items: readonly Item[]): { readonly item: Item; readonly summary: Item | undefined }[] {
  const shown: { item: Item; summary: Item | undefined }[] = [];
  for (const item of items) {
    const last = shown.at(-1);
    if (isNote(item, SUMMARY) && last && isNote(last.item, COMPACTED) && last.summary === undefined)
      last.summary = item;
    else shown.push({ item, summary: undefined });
  }
  return shown;
}

function isNote(item: Item, label: string): boolean {
  return item.type === 'note' && item.label === label;
}

function toPageItem(given: Item, summary: Item | undefined, options: PageOptions): PageItem {
  const item = maskedItem(given, options.mask);
  const uuid = uuidOf(given.entry);
  switch (item.type) {
    case 'prompt':
      return { type: 'prompt', uuid, text: item.text, context: item.context, images: imagesOf(given.entry, options) };
    case 'call':
      return { type: 'call', uuid, call: callRow(item.call, options) };
    case 'text':
    case 'thinking':
    case 'api_error':
      return { type: item.type, uuid, text: item.text };
    case 'note': {
      if (item.image?.data !== undefined) return { type: 'image', uuid, image: toImage(item.image, options) };
      if (item.label !== COMPACTED && item.label !== SUMMARY)
        return { type: 'note', uuid, label: item.label, text: item.text };
      const said = item.label === SUMMARY ? item : summary && maskedItem(summary, options.mask);
      const sizes = item.label === SUMMARY ? '' : item.text;
      return { type: 'compaction', uuid, text: sizes, summary: said?.type === 'note' ? said.text : '' };
    }
  }
}

function uuidOf(entry: Entry): string | null {
  return entry.head.uuid ?? null;
}

function imagesOf(entry: Entry, options: PageOptions): PageImage[] {
  if (!entry.head.blocks.some(({ type }) => type === 'image')) return [];
  return blocksOf(jsonOf(entry) ?? {}).flatMap((block) =>
    block.type === 'image' && block.data !== undefined ? [toImage(block, options)] : [],
  );
}

type Image = { readonly mediaType?: string; readonly data?: string };

function toImage({ mediaType, data }: Image, options: PageOptions): PageImage {
  return { mediaType: nameOf(mediaType, options) ?? '', data: data ?? '' };
}

function generationOf(message: Message, shown: ReadonlySet<string | null>, options: PageOptions): Generation[] {
  if (message.synthetic && !message.isApiError) return [];
  const { usage } = message;
  return [
    {
      id: message.id ?? null,
      uuid: message.entryUuids.find((uuid) => shown.has(uuid)) ?? message.finalUuid ?? null,
      model: nameOf(message.model, options),
      started: message.started ?? null,
      ended: message.ended ?? null,
      stopReason: nameOf(message.stopReason, options),
      usage: usage
        ? {
            input: usage.input,
            output: usage.output,
            cacheCreation: usage.cacheCreation,
            cacheRead: usage.cacheRead,
          }
        : null,
    },
  ];
}
