/** Long sessions of `skein chat`: what a turn and a call cost does not grow with what was said before. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asString, type JsonObject } from '../../src/format/json.ts';
import { chatWith, entriesOf } from '../support/chat.ts';
import { tempFolder } from '../support/files.ts';
import { says, toolUse } from '../support/scripted-model.ts';

const STREAM = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
const promptLine = (content: string) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
const MB = 1e6;

/** Counts what is read from and written to transcripts, and tells it at the end. */
const COUNTING = `const fs = require('node:fs');
const open = new Map();
const count = { opened: 0, read: 0, written: 0, synced: 0 };
const { openSync, readSync, readFileSync, writeSync, fsyncSync, closeSync } = fs;
const isTranscript = (path) => String(path).endsWith('.jsonl');
fs.openSync = (path, ...more) => {
  const fd = openSync(path, ...more);
  if (isTranscript(path)) { open.set(fd, path); count.opened += 1; }
  return fd;
};
fs.closeSync = (fd) => { open.delete(fd); closeSync(fd); };
fs.readSync = (fd, ...more) => { const n = readSync(fd, ...more); if (open.has(fd)) count.read += n; return n; };
fs.writeSync = (fd, ...more) => { const n = writeSync(fd, ...more); if (open.has(fd)) count.written += n; return n; };
fs.fsyncSync = (fd) => { if (open.has(fd)) count.synced += 1; fsyncSync(fd); };
fs.readFileSync = (path, ...more) => {
  const bytes = readFileSync(path, ...more);
  if (isTranscript(path)) count.read += bytes.length;
  return bytes;
};
process.on('exit', () => fs.writeFileSync(process.env.COUNTS, JSON.stringify(count)));
`;

/** Runs the words before the command itself, and reads what they left. */
function preloaded(words: string) {
  const folder = tempFolder();
  const [preload, left] = [join(folder, 'preload.cjs'), join(folder, 'left.json')];
  writeFileSync(preload, words);
  const env = { NODE_OPTIONS: `--require ${preload}`, COUNTS: left };
  return { env, counts: () => JSON.parse(readFileSync(left, 'utf8')) };
}

describe('1,000 turns', () => {
  test('nothing is read back, every byte is written once, a request holds one message more each time', async () => {
    const turns = 1000;
    const chat = await chatWith((_, index) => says(`Answer ${String(index).padStart(4, '0')}.`));
    const { env, counts } = preloaded(COUNTING);
    const { child, done, printed } = chat.start(STREAM, { input: '', env });
    const sent: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const number = String(turn).padStart(4, '0');
      child.stdin?.write(promptLine(`Prompt ${number}`));
      await printed(`"result":"Answer ${number}."`);
      sent.push(chat.model.requests[turn]?.messages.length ?? 0);
      // Or this process would keep a thousand histories.
      chat.model.requests.fill(LEAN, 0, turn + 1);
    }
    child.stdin?.end();
    expect((await done).code).toBe(0);
    expect(sent).toEqual(sent.map((_, turn) => 2 * turn + 1));
    const [file = ''] = chat.sessions();
    const bytes = readFileSync(file).length;
    const counted = counts();
    // One byte before each line but the first: whether the line before it has its end.
    expect(counted).toMatchObject({ written: bytes, read: counted.opened - 1 });
    // The prompt, and the end of the turn.
    expect(counted.synced).toBe(2 * turns);
    const perTurn = bytesPerTurn(file);
    expect(perTurn).toHaveLength(turns);
    const [early, late] = [Math.max(...perTurn.slice(0, 100)), Math.max(...perTurn.slice(-100))];
    expect(late - early).toBeLessThan(100);
    await chat.story();
  });
});

const LEAN = { body: {}, headers: {}, messages: [], ended: Promise.resolve(false) };

/** The bytes of lines from one prompt to the next. */
function bytesPerTurn(file: string): number[] {
  const isPrompt = ({ type, message }: JsonObject) =>
    type === 'user' && asString((message as JsonObject | undefined)?.content) !== undefined;
  const perTurn: number[] = [];
  for (const entry of entriesOf(file)) {
    if (isPrompt(entry)) perTurn.push(0);
    perTurn[perTurn.length - 1] = (perTurn.at(-1) ?? 0) + Buffer.byteLength(JSON.stringify(entry)) + 1;
  }
  return perTurn;
}

/** What is still held when so many results have been written. */
const HOLDING = `const fs = require('node:fs');
require('node:v8').setFlagsFromString('--expose-gc');
const gc = require('node:vm').runInNewContext('gc');
const { writeSync } = fs;
const held = {};
let results = 0;
fs.writeSync = (fd, what, ...more) => {
  if (Buffer.from(what).includes('"toolUseResult"')) results += 1;
  if ((results === 1000 || results === 10000) && held[results] === undefined) {
    gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    held[results] = { held: heapUsed + external, rss };
  }
  return writeSync(fd, what, ...more);
};
process.on('exit', () => fs.writeFileSync(process.env.COUNTS, JSON.stringify(held)));
`;

describe('10,000 calls', () => {
  test('what is held grows by the messages themselves', async () => {
    const [calls, atOnce] = [10_000, 50];
    const chat = await chatWith((_, index) => {
      chat.model.requests.fill(LEAN);
      if (index * atOnce >= calls) return says('Done.');
      const reads = Array.from({ length: atOnce }, () => toolUse('Read', { file_path: 'small.txt' }));
      return says(reads, { piece: 1000 });
    });
    writeFileSync(join(chat.cwd, 'small.txt'), 'a small file\n');
    const { env, counts } = preloaded(HOLDING);
    const { code, result } = await chat.run(['-p', 'Read it', '--output-format', 'json'], { env });
    // As the client counts: each message of a result is a turn.
    expect([code, result.result, result.num_turns]).toEqual([0, 'Done.', calls + 1]);
    const { 1000: few, 10000: many } = counts();
    // A call and its result are a few hundred bytes to send, and about four times that as objects.
    expect((many.held - few.held) / (calls - 1000)).toBeLessThan(2000);
    expect(many.rss).toBeLessThan(500 * MB);
    const [file = ''] = chat.sessions();
    expect(entriesOf(file).filter(({ toolUseResult }) => toolUseResult !== undefined)).toHaveLength(calls);
    await chat.story();
  });
});
