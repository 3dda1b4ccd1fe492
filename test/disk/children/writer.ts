/**
 * Writes a transcript as badly as a program can: in pieces that end anywhere, in the modes `replace` and `delete` five
 * times into a new file: `file seed count mode`. The last entry is `end`.
 */
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const [file = '', seedText = '1', countText = '100', mode = 'append'] = process.argv.slice(2);
let seed = Number(seedText);

/** Park and Miller's generator: a failing run can be run again. */
function random(below: number): number {
  seed = (seed * 48271) % 2147483647;
  return seed % below;
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, random(3));
}

function writeInPieces(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random(400);
    appendFileSync(file, bytes.subarray(at, at + length));
    at += length;
    if (random(10) === 0) pause();
  }
}

function startOver(): void {
  if (mode === 'replace') {
    writeFileSync(`${file}.new`, '');
    renameSync(`${file}.new`, file);
  } else if (mode === 'delete') rmSync(file);
}

const generations = mode === 'append' ? 1 : 5;
for (let generation = 0; generation < generations; generation += 1) {
  if (generation > 0) startOver();
  for (let number = 0; number < Number(countText); number += 1) {
    const uuid = `${generation}-${number}`;
    writeInPieces(`${JSON.stringify({ type: 'user', uuid, fill: 'é'.repeat(random(300)) })}\n`);
  }
}
writeInPieces(`${JSON.stringify({ type: 'user', uuid: 'end' })}\n`);
