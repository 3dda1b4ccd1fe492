/** Ids numbered in the order they come, each once: what a Map from strings to numbers would be, outside the JavaScript heap. */
import { BLOCK_LENGTH, createIdList, type IdList, idAt, toLine } from './idlist.ts';
import { createNumbers } from './numbers.ts';

export interface Ids {
  readonly size: number;
  /** The number of an id, which is the next one when the id is new. */
  add(id: string): number;
  /** The same for each id of a list, whose bytes are not copied. */
  addAll(list: IdList, each: (number: number) => void): void;
  /** -1 when the id was never added. */
  find(id: string): number;
  /** The id of a number. */
  at(number: number): string;
  /** All that were added one by one. */
  result(): IdList;
}

export function createIds(): Ids {
  const own = createIdList();
  const blocks: Uint8Array[] = [];
  // The place of the block that is being written.
  let current = -1;
  // By number: where its line begins, counted as if every block had its full length.
  const starts = createNumbers(0);
  // A number plus one, by hash; 0 is free. At most half are taken.
  let slots = new Int32Array(256);
  // Where the last search ended.
  let slot = 0;

  /** The number of the id that a line spells, or -1. */
  function search(hash: number, isLine: (block: Uint8Array, place: number) => boolean): number {
    const mask = slots.length - 1;
    slot = hash & mask;
    for (let taken = slots[slot] ?? 0; taken !== 0; taken = slots[slot] ?? 0) {
      const start = starts.get(taken - 1);
      const block = blocks[Math.floor(start / BLOCK_LENGTH)];
      if (block !== undefined && isLine(block, start % BLOCK_LENGTH)) return taken - 1;
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  function put(start: number): number {
    const number = starts.length;
    slots[slot] = number + 1;
    starts.push(start);
    if (2 * starts.length > slots.length) grow();
    return number;
  }

  function grow(): void {
    slots = new Int32Array(2 * slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < starts.length; number += 1) {
      let free = hashAt(starts.get(number)) & mask;
      while (slots[free] !== 0) free = (free + 1) & mask;
      slots[free] = number + 1;
    }
  }

  function hashAt(start: number): number {
    const block = blocks[Math.floor(start / BLOCK_LENGTH)];
    const from = start % BLOCK_LENGTH;
    return block === undefined ? 0 : hashOfBytes(block, from, block.indexOf(LINE_FEED, from));
  }

  function write(line: string): number {
    const place = own.add(line);
    if (place === 0) current = blocks.push(own.block()) - 1;
    else blocks[current] = own.block();
    return current * BLOCK_LENGTH + place;
  }

  function find(line: string, hash: number): number {
    return search(hash, (block, place) => isLineAt(line, block, place));
  }

  return {
    get size() {
      return starts.length;
    },
    add(id) {
      const line = toLine(id);
      const hash = hashOfLine(line);
      const known = find(line, hash);
      return known >= 0 ? known : put(write(line));
    },
    addAll(list, each) {
      for (const bytes of list.blocks) {
        const start = (blocks.push(bytes) - 1) * BLOCK_LENGTH;
        for (let from = 0, to = 0; from < bytes.length; from = to + 1) {
          to = bytes.indexOf(LINE_FEED, from);
          const hash = hashOfBytes(bytes, from, to);
          const known = search(hash, (block, place) => isSameLine(bytes, from, to, block, place));
          each(known >= 0 ? known : put(start + from));
        }
      }
    },
    find(id) {
      const line = toLine(id);
      return find(line, hashOfLine(line));
    },
    at(number) {
      const start = starts.get(number);
      const block = blocks[Math.floor(start / BLOCK_LENGTH)];
      return block === undefined ? '' : idAt(block, start % BLOCK_LENGTH);
    },
    result: () => own.result(),
  };
}

const LINE_FEED = 10;

function isLineAt(line: string, block: Uint8Array, place: number): boolean {
  for (let i = 0; i < line.length; i += 1) if (line.charCodeAt(i) !== block[place + i]) return false;
  return block[place + line.length] === LINE_FEED;
}

function isSameLine(bytes: Uint8Array, from: number, to: number, block: Uint8Array, place: number): boolean {
  for (let i = 0; i <= to - from; i += 1) if (bytes[from + i] !== block[place + i]) return false;
  return true;
}

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

function hashOfLine(line: string): number {
  let hash = SEED;
  for (let i = 0; i < line.length; i += 1) hash = Math.imul(hash ^ line.charCodeAt(i), PRIME);
  return hash ^ (hash >>> 15);
}

function hashOfBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = SEED;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ (bytes[i] ?? 0), PRIME);
  return hash ^ (hash >>> 15);
}
