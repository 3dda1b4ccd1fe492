import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutEnd, cutStart } from '../../../src/agent/tools/cut.ts';
import { createSpill, shortened, sizeOf } from '../../../src/agent/tools/spill.ts';
import { DiskError } from '../../../src/disk/errors.ts';
import { toolOutputsOf } from '../../../src/disk/outputs.ts';
import { tempFolder } from '../../support/files.ts';

describe('what is too long to send', () => {
  it('lies in tool-results beside the transcript, for its owner only, and is found there (L4)', () => {
    const folder = join(tempFolder(), 'session');
    const path = createSpill({ folder })('toolu_01', 'whole ü');
    expect(path).toBe(join(folder, 'tool-results', 'toolu_01.txt'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(toolOutputsOf([`${folder}.jsonl`])(path)).toBe('whole ü');
    expect(readdirSync(dirname(path))).toEqual(['toolu_01.txt']);
  });

  it.each(['../../up', '/etc/x', '', '.', 'a/b', 'x'.repeat(300), 'ü'])('an id like %j names no path', (id) => {
    const folder = join(tempFolder(), 'session');
    const path = createSpill({ folder })(id, 'text');
    expect(dirname(path)).toBe(join(folder, 'tool-results'));
    expect(basename(path)).toMatch(/^[0-9a-f]{16}\.txt$/);
    expect(readFileSync(path, 'utf8')).toBe('text');
  });

  it('that cannot be written is told as the disk tells it', () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    expect(() => createSpill({ folder: file })('toolu_01', 'text')).toThrow(DiskError);
  });

  it.each([
    [10, '10 bytes'],
    [2000, '2KB'],
    [45_000, '43.9KB'],
    [16 << 20, '16MB'],
    [1_000_000_000, '953.7MB'],
    [3 * 1024 ** 4, '3072GB'],
  ])('%i bytes are %s', (bytes, expected) => {
    expect(sizeOf(bytes)).toBe(expected);
  });
});

describe('cutting', () => {
  it('leaves whole characters, and all that fits (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'ä', '😀') }), fc.nat(30), (text, max) => {
        const [head, tail] = [cutEnd(text, max), cutStart(text, max)];
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
        expect(Math.min(head.length, tail.length)).toBeGreaterThanOrEqual(Math.min(text.length, max) - 1);
      }),
    );
  });

  it('says how much is left out between beginning and end', () => {
    expect(shortened('abcdefgh', 4, 'why')).toBe('ab\n\n[4 characters left out here; why]\n\ngh');
    expect(shortened('abcd', 4, 'why')).toBe('abcd');
  });
});
