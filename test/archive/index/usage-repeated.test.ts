/** E12: a uuid on many lines of different messages. What is kept of each line is no entry: a file of 1 GB would fill the heap. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { io, ioSince } from '../../../src/disk/io.ts';
import { usageOfFile } from '../../../src/disk/usage.ts';
import { agentProgress, assistant, toJsonl } from '../../support/build.ts';
import { tempFolder } from '../../support/files.ts';

const held = vi.hoisted(() => ({ entries: 0 }));
vi.mock(import('../../../src/graph/messages.ts'), async (original) => {
  const real = await original();
  const mergeMessages: typeof real.mergeMessages = (entries, requests) => {
    held.entries += entries.length;
    return real.mergeMessages(entries, requests);
  };
  return { ...real, mergeMessages };
});

test('no entries are gathered, and nothing is read twice', () => {
  const lines = Array.from({ length: 3000 }, (_, n) => {
    const said = assistant('x'.repeat(500), { id: `m${n}`, requestId: `r${n}` });
    const line = { ...said, uuid: n % 3 === 0 ? 'same' : `u${n}` };
    return n % 2 === 0 ? line : agentProgress(line);
  });
  const content = toJsonl(lines);
  const file = join(tempFolder(), 'session.jsonl');
  writeFileSync(file, content);
  const before = { ...io };
  // Each tells of a message of its own, whatever else was written under its uuid (E4).
  expect(usageOfFile(file)).toHaveLength(3000);
  expect(ioSince(before).bytesRead).toBe(content.length);
  expect(held.entries).toBe(0);
});
