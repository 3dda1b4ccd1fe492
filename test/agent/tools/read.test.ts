/** Read: texts of any length and encoding, pictures, PDF, notebooks; and everything that is none of these. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read } from '../../../src/agent/tools/read.ts';
import { io, ioSince } from '../../../src/disk/io.ts';
import { isObject } from '../../../src/format/json.ts';
import { fileHost, told, typed } from './filehost.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('text', () => {
  test('numbered as the newest client does, with the recorded result (E6)', async () => {
    const { put, run, session } = fileHost();
    const path = put('old.py', 'def f():\n    return 1\n');
    const outcome = await run(read, { file_path: 'old.py' });
    expect(outcome.content).toBe('1\tdef f():\n2\t    return 1\n3\t');
    expect(outcome.result).toEqual({
      type: 'text',
      file: { filePath: path, content: 'def f():\n    return 1\n', numLines: 3, startLine: 1, totalLines: 3 },
    });
    expect(typed(read, outcome)).toMatchObject({ kind: 'read', media: 'text', filePath: path, totalLines: 3 });
    expect(session.files.get(path)).toMatchObject({ size: 22, partial: false });
  });

  test('a range, and what to ask for next', async () => {
    const { put, run } = fileHost();
    put('many.txt', Array.from({ length: 3000 }, (_, i) => `line ${i + 1}`).join('\n'));
    const first = told(await run(read, { file_path: 'many.txt' }));
    expect(first.split('\n')[1999]).toBe('2000\tline 2000');
    expect(first).toMatch(/\n\n\(Lines 1 to 2000 of 3000\. Go on with offset 2001\.\)$/);
    const middle = await run(read, { file_path: 'many.txt', offset: 10, limit: 2 });
    expect(told(middle)).toBe('10\tline 10\n11\tline 11\n\n(Lines 10 to 11 of 3000. Go on with offset 12.)');
    expect(typed(read, middle)).toMatchObject({
      startLine: 10,
      numLines: 2,
      totalLines: 3000,
      content: 'line 10\nline 11',
    });
    expect(told(await run(read, { file_path: 'many.txt', offset: 2999 }))).toMatch(
      /3000\tline 3000\n\n\(Lines 2999 to 3000 of 3000\.\)$/,
    );
  });

  test('an empty file, and a line after the end, are told', async () => {
    const { put, run } = fileHost();
    put('empty.txt', '');
    put('short.txt', 'a\nb');
    expect(await run(read, { file_path: 'empty.txt' })).toMatchObject({ content: 'The file is empty.' });
    const beyond = await run(read, { file_path: 'short.txt', offset: 9 });
    expect(beyond.content).toBe('Nothing is at line 9: the file ends at line 2.');
    expect(beyond.isError).toBeUndefined();
  });

  test('long lines are cut between characters, and many of them stop the reading', async () => {
    const { put, run } = fileHost();
    put('wide.txt', `${'x'.repeat(1999)}😀${'y'.repeat(5000)}\nnext`);
    expect(told(await run(read, { file_path: 'wide.txt' }))).toBe(
      `1\t${'x'.repeat(1999)}… (7001 characters)\n2\tnext\n\n(Long lines were cut: 1.)`,
    );
    put('full.txt', `${'z'.repeat(1500)}\n`.repeat(200));
    const full = told(await run(read, { file_path: 'full.txt' }));
    expect(full.length).toBeLessThan(101_000);
    expect(full).toMatch(/\(Lines 1 to 66 of 201\. Go on with offset 67\.\)$/);
  });

  test.each([
    ['UTF-8 with a byte-order mark', Buffer.from('\ufeffé中\nb', 'utf8'), '1\té中\n2\tb'],
    ['UTF-16 little-endian', Buffer.from('\ufeffé中\nb', 'utf16le'), '1\té中\n2\tb'],
    ['UTF-16 big-endian', Buffer.from('\ufeffé中\nb', 'utf16le').swap16(), '1\té中\n2\tb'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x62, 0x0a, 0x63]), '1\ta\ufffdb\n2\tc'],
    ['CRLF', Buffer.from('a\r\nb\r\n'), '1\ta\n2\tb\n3\t'],
    ['a lone CR, U+2028', Buffer.from('a\rb\u2028c'), '1\ta\rb\u2028c'],
  ])('%s', async (_, bytes, expected) => {
    const { put, run } = fileHost();
    put('f.txt', bytes);
    expect((await run(read, { file_path: 'f.txt' })).content).toBe(expected);
  });

  test('characters that span the chunks of a read stay whole', async () => {
    const { put, run } = fileHost();
    put('chunks.txt', `${'a\n'.repeat((1 << 19) - 1)}x中\nend`);
    const outcome = told(await run(read, { file_path: 'chunks.txt', offset: 1 << 19 }));
    expect(outcome).toContain(`${1 << 19}\tx中\n${(1 << 19) + 1}\tend`);
  });

  test('of 100 MB no more is read than counting lines is worth, and little is kept', async () => {
    const { at, run } = fileHost();
    const fd = openSync(at('huge.log'), 'w');
    const chunk = Buffer.from(`${'0123456789'.repeat(10)}\n`.repeat(10_000));
    for (let done = 0; done < 100 << 20; done += chunk.length) writeSync(fd, chunk);
    closeSync(fd);
    const before = { ...io };
    const heap = process.memoryUsage().arrayBuffers;
    const outcome = told(await run(read, { file_path: 'huge.log', limit: 1 }));
    expect(outcome).toMatch(/^1\t(?:0123456789){10}\n\n\(Lines 1 to 1 of more than \d{6}\. Go on with offset 2\.\)$/);
    expect(ioSince(before).bytesRead).toBeLessThan(66 << 20);
    expect(process.memoryUsage().arrayBuffers - heap).toBeLessThan(16 << 20);
    // What lies behind is reached all the same.
    expect(told(await run(read, { file_path: 'huge.log', offset: 900_000, limit: 1 }))).toContain('900000\t0123456789');
  });
});

describe('what cannot be read is told', () => {
  test('a missing file, with the working directory', async () => {
    const { run, cwd } = fileHost();
    const outcome = await run(read, { file_path: 'nothing.txt' });
    expect(outcome).toEqual({
      content: `There is no file ${cwd}/nothing.txt. The working directory is ${cwd}.`,
      result: `Error: There is no file ${cwd}/nothing.txt. The working directory is ${cwd}.`,
      isError: true,
    });
  });

  test.each<[string, (at: (name: string) => string) => void, RegExp]>([
    ['a folder', (at) => mkdirSync(at('x')), /is a folder, not a file.*Glob/],
    ['a named pipe that nobody writes to', (at) => execFileSync('mkfifo', [at('x')]), /is a named pipe/],
    ['a link to a device', (at) => symlinkSync('/dev/zero', at('x')), /is a device/],
    ['a link that leads nowhere', (at) => symlinkSync('gone', at('x')), /There is no file/],
    ['links in a circle', (at) => symlinkSync('x', at('x')), /lead in a circle/],
  ])('%s', async (_, make, expected) => {
    const { run, at } = fileHost();
    make(at);
    const outcome = await run(read, { file_path: 'x' });
    expect(outcome.isError).toBe(true);
    expect(told(outcome)).toMatch(expected);
  });

  test('a binary file, a path through a file, a name too long, wrong input', async () => {
    const { run, put } = fileHost();
    put('a.dat', Buffer.from([1, 0, 2]));
    expect(told(await run(read, { file_path: 'a.dat' }))).toMatch(/is a binary file/);
    expect(told(await run(read, { file_path: 'a.dat/b' }))).toMatch(/A part of the path is a file|There is no file/);
    expect(told(await run(read, { file_path: 'x'.repeat(5000) }))).toMatch(/too long/);
    expect(read.refuse({ wrong: 1 })).toMatch(/file_path/);
    expect(told(await run(read, { file_path: 'a', offset: -1 }))).toMatch(/offset/);
  });

  test('files of /proc, which say they are empty, are read', async () => {
    const { run } = fileHost();
    expect(told(await run(read, { file_path: '/proc/self/status' }))).toMatch(/^1\tName:/);
  });

  test('an interrupt ends it', async () => {
    const { run, put, abort } = fileHost();
    put('a.txt', 'x');
    abort();
    expect((await run(read, { file_path: 'a.txt' })).isError).toBe(true);
  });
});

describe('pictures', () => {
  test('as the API takes them, by their bytes and not their name', async () => {
    const { put, run } = fileHost();
    put('pic.jpg', PNG);
    const outcome = await run(read, { file_path: 'pic.jpg' });
    const data = PNG.toString('base64');
    expect(outcome.content).toEqual([{ type: 'image', source: { type: 'base64', data, media_type: 'image/png' } }]);
    expect(outcome.result).toMatchObject({
      type: 'image',
      file: { base64: data, type: 'image/png', originalSize: 70 },
    });
  });

  test('what the API would refuse for good is refused here', async () => {
    const { put, run } = fileHost();
    const huge = Buffer.from(PNG);
    huge.writeUInt32BE(9000, 16);
    put('huge.png', huge);
    put('text.png', 'not a picture, but long enough to look like one');
    put('empty.gif', '');
    put('heavy.png', Buffer.concat([PNG, Buffer.alloc(4 << 20)]));
    expect(told(await run(read, { file_path: 'huge.png' }))).toMatch(/9000×1 pixels/);
    expect(told(await run(read, { file_path: 'text.png' }))).toMatch(/is not a picture/);
    expect(told(await run(read, { file_path: 'empty.gif' }))).toMatch(/is not a picture/);
    expect(told(await run(read, { file_path: 'heavy.png' }))).toMatch(/too large/);
  });
});

describe('PDF', () => {
  test('the text of the pages asked for', async () => {
    const { put, run } = fileHost();
    put('doc.pdf', pdf(['Hello one', 'Hello two', 'Hello three']));
    const all = await run(read, { file_path: 'doc.pdf' });
    expect(told(all)).toBe(
      '--- page 1 ---\nHello one\n\n--- page 2 ---\nHello two\n\n--- page 3 ---\nHello three\n\n(Pages 1 to 3 of 3.)',
    );
    expect(typed(read, all)).toMatchObject({ kind: 'read', media: 'pdf' });
    const some = told(await run(read, { file_path: 'doc.pdf', pages: '2' }));
    expect(some).toBe('--- page 2 ---\nHello two\n\n(Pages 2 to 2 of 3. Go on with pages "3-3".)');
    expect(told(await run(read, { file_path: 'doc.pdf', pages: '7' }))).toMatch(/has 3 pages/);
    expect(told(await run(read, { file_path: 'doc.pdf', pages: 'all' }))).toMatch(/give one page or a range/);
  });

  test('a broken one is told', async () => {
    const { put, run } = fileHost();
    put('no.pdf', 'text');
    put('cut.pdf', pdf(['x']).subarray(0, 60));
    expect(told(await run(read, { file_path: 'no.pdf' }))).toMatch(/is not a PDF/);
    expect(told(await run(read, { file_path: 'cut.pdf' }))).toMatch(/cannot be read as a PDF/);
  });
});

describe('notebooks', () => {
  const cells = [
    { cell_type: 'markdown', id: 'aa', metadata: {}, source: ['# T\n', 'x'] },
    {
      cell_type: 'code',
      id: 'bb',
      execution_count: 1,
      metadata: {},
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['hi\n'] },
        { output_type: 'display_data', data: { 'image/png': PNG.toString('base64'), 'text/plain': ['<F>'] } },
        { output_type: 'error', ename: 'E', evalue: 'bad', traceback: ['\u001b[31mline 1\u001b[0m'] },
      ],
      source: 'print("hi")',
    },
  ];

  test('cells with what they printed, in the recorded shape', async () => {
    const { put, run } = fileHost();
    const path = put('nb.ipynb', JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    const outcome = await run(read, { file_path: 'nb.ipynb' });
    const [text, picture] = typeof outcome.content === 'string' ? [] : outcome.content;
    expect(text?.text).toBe(
      '<cell id="aa" type="markdown">\n# T\nx\n</cell>\n<cell id="bb" type="code">\nprint("hi")\n</cell>\n<output>\nhi\n\n<F>\nE\nbad\nline 1\n</output>',
    );
    expect(picture).toMatchObject({ type: 'image', source: { media_type: 'image/png' } });
    expect(outcome.result).toMatchObject({
      type: 'notebook',
      file: {
        filePath: path,
        cells: [
          { cellType: 'markdown', source: '# T\nx', cell_id: 'aa' },
          { cellType: 'code', source: 'print("hi")', execution_count: 1, cell_id: 'bb', language: 'python' },
        ],
      },
    });
    expect(isObject(outcome.result)).toBe(true);
  });

  test('a range of cells, no notebook at all', async () => {
    const { put, run } = fileHost();
    put('nb.ipynb', JSON.stringify({ cells }));
    put('bad.ipynb', '{"cells": [');
    expect(told(await run(read, { file_path: 'nb.ipynb', offset: 1, limit: 1 }))).toMatch(
      /\(Cells 1 to 1 of 2\. Go on with offset 2\.\)$/,
    );
    expect(told(await run(read, { file_path: 'bad.ipynb' }))).toMatch(/is not a notebook/);
  });
});

/** The smallest PDF with a line of text on each page. */
function pdf(texts: readonly string[]): Buffer {
  const pages = texts.map((_, i) => 4 + i * 2);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((page) => `${page} 0 R`).join(' ')}] /Count ${texts.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, i) => {
      const stream = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = body.length;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(`${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`);
}
