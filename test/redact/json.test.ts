import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/format/json.ts';
import { maskJson, maskJsonBytes, maskJsonText } from '../../src/redact/json.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { NOT_SCANNED } from '../../src/redact/placeholder.ts';
import { recordings } from './recordings.ts';
import { random, SAMPLES } from './samples.ts';
import '../support/properties.ts';

const token = `ghp_${random(36, 'json')}`;
const maskText = (text: string) => maskJsonText(text, createMasker());

/** Everywhere a line of a transcript can hold text. */
const PLACES: Readonly<Record<string, (text: string) => Json>> = {
  prompt: (text) => ({ type: 'user', message: { role: 'user', content: text } }),
  'prompt in blocks': (text) => ({ type: 'user', message: { content: [{ type: 'text', text }] } }),
  answer: (text) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } }),
  thinking: (text) => ({
    type: 'assistant',
    message: { content: [{ type: 'thinking', thinking: text, signature: '' }] },
  }),
  'tool input': (text) => ({
    message: { content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: text } }] },
  }),
  'tool result': (text) => ({ message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: text }] } }),
  'tool result in blocks': (text) => ({
    message: { content: [{ type: 'tool_result', content: [{ type: 'text', text }] }] },
  }),
  toolUseResult: (text) => ({ type: 'user', toolUseResult: { stdout: text, stderr: text, file: { content: text } } }),
  'toolUseResult as text': (text) => ({ type: 'user', toolUseResult: text }),
  patch: (text) => ({ toolUseResult: { structuredPatch: [{ lines: text.split('\n').map((line) => `+${line}`) }] } }),
  snapshot: (text) => ({ type: 'file-history-snapshot', snapshot: { trackedFileBackups: { '/a': text } } }),
  summary: (text) => ({ type: 'summary', summary: text }),
  title: (text) => ({ type: 'custom-title', title: text }),
  queue: (text) => ({ type: 'queue-operation', operation: 'enqueue', content: text }),
  attachment: (text) => ({ type: 'attachment', attachment: { rendered: [{ type: 'text', text }] } }),
  progress: (text) => ({ type: 'progress', data: { message: { content: [{ type: 'text', text }] } } }),
  'an unknown field': (text) => ({ type: 'of-tomorrow', deep: [[[{ x: [1, null, text] }]]] }),
  'a name': (text) => ({ [text]: 1 }),
  'JSON in text': (text) => ({ message: { content: JSON.stringify({ said: text }) } }),
  'JSON in JSON in text': (text) => ({ message: { content: JSON.stringify(JSON.stringify({ said: text })) } }),
};

describe('masking JSON', () => {
  describe.each(Object.entries(PLACES))('%s', (_, entry) => {
    test.each(SAMPLES)('$rule', ({ secret, text }) => {
      const line = JSON.stringify(entry(text));
      const masked = maskText(line);
      const strings = allStrings(JSON.parse(masked)).join('\n');
      for (const part of secret.split(/\\n|\n/).filter((each) => each.length >= 6 && !each.startsWith('-----'))) {
        expect(strings).not.toContain(part);
      }
      expect(maskText(masked)).toBe(masked);
    });
  });

  test.each([
    { name: 'DB_PASSWORD', value: 'S3cr3t!xyz' },
    { Value: 'S3cr3t!xyz', type: 'plain', Name: 'DB_PASSWORD' },
    { auth: { user: 'me', pass: 'S3cr3t!xyz' } },
    { key: 'Authorization', value: 'Basic bWU6UzNjcjN0IXh5eg==' },
    { name: 'Cookie', value: 'sessionid=S3cr3txyzS3cr3txyz; theme=dark' },
  ])('a value and its name, each a member: %j', (member) => {
    const masked = maskText(JSON.stringify({ list: [{ name: 'a', value: 'b' }, member] }));
    expect(masked).not.toMatch(/S3cr3t|bWU6/);
    expect(masked).toContain('{"name":"a","value":"b"}');
    expect(maskText(masked)).toBe(masked);
  });

  test('a value is that of the name beside it, not of one further in or out', () => {
    const others = { name: 'password', deep: { value: 'S3cr3t!xyz' }, list: [{ value: 'S3cr3t!xyz' }] };
    const picture = { name: 'data', value: 'Password: S3cr3t!xyz'.padEnd(200, 'A') };
    expect(maskText(JSON.stringify(others))).toBe(JSON.stringify(others));
    expect(maskText(JSON.stringify(picture))).not.toContain('S3cr3t');
  });

  test('a name that says its value is secret', () => {
    expect(
      maskText('{"password": "hunter2xyz", "env": {"API_KEY": "0d9f8a7b6c5e4d3f2a1b"}, "tokens": 5, "token": "none"}'),
    ).toMatch(
      /^\{"password": "\[password\]", "env": \{"API_KEY": "\[secret:[0-9a-f]{4}\]"\}, "tokens": 5, "token": "none"\}$/,
    );
  });

  test('a list of arguments: the value after the option that names it', () => {
    expect(maskText('["db", "--password", "hunter2xyz", "--verbose"]')).toBe(
      '["db", "--password", "[password]", "--verbose"]',
    );
    expect(maskText('["--token","0d9f8a7b6c5e4d3f2a1b"]')).toMatch(/^\["--token","\[secret:[0-9a-f]{4}\]"\]$/);
    for (const json of [
      '["--password","--verbose-mode9"]',
      '["password","hunter2xyz"]',
      '["--password-file","/etc/pw1"]',
    ])
      expect(maskText(json)).toBe(json);
  });

  test('E2 what is not masked stays byte for byte: numbers, order, spaces, escapes', () => {
    const line = (text: string) => ` {"b":1.0, "10":2,\t"a":"\\u0041\\/é", "b":1e400, "x":["${text}","\\ud800"]} `;
    expect(maskText(line(token))).toBe(line(maskText(token)));
    expect(maskText(line(token))).toContain('[github-token:');
    expect(maskText(line('nothing'))).toBe(line('nothing'));
  });

  test('an escape inside a secret does not hide it', () => {
    expect(maskText(`{"a":"gh\\u0070_${token.slice(4)}"}`)).toBe(`{"a":"${createMasker().mask(token)}"}`);
    expect(maskText(JSON.stringify({ a: `{"b":"gh\\u0070_${token.slice(4)}"}` }))).not.toContain(token.slice(4));
    expect(maskText(JSON.stringify({ a: `"x\\n${token}"` }))).not.toContain(token);
  });

  test('E1 a line that is no JSON is masked as text, bytes that are no text come back', () => {
    const torn = Buffer.concat([Buffer.from(`{"a":"${token} `), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(' "b')]);
    const masked = Buffer.from(maskJsonBytes(torn, createMasker()));
    expect(masked.toString('latin1')).toBe(torn.toString('latin1').replace(token, createMasker().mask(token)));
    const deep = `${'['.repeat(300)}"${token}"${']'.repeat(300)}`;
    expect(maskText(deep)).toBe(deep.replace(token, createMasker().mask(token)));
  });

  test('images and signatures stay as they are; images are told', () => {
    const data = random(4000, 'image');
    const line = JSON.stringify({
      message: {
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          { type: 'thinking', thinking: 'so', signature: random(400, 'sig') },
        ],
      },
    });
    const masker = createMasker();
    const bytes = Buffer.from(line);
    expect(maskJsonBytes(bytes, masker)).toBe(bytes);
    expect(masker.told).toMatchObject({ passed: 1, notScanned: 0 });
    expect(maskText(JSON.stringify({ data: `${token} ${data}` }))).not.toContain(token);
  });

  test('values come back as they are when nothing is masked, and keep their shape when something is', () => {
    const value: Json = { a: [1, null, true, 'x'], b: { c: 'plain' } };
    expect(maskJson(value, createMasker())).toBe(value);
    const masked = createMasker().mask(token);
    expect(maskJson({ a: [1, token, { b: token }], [token]: null }, createMasker())).toEqual({
      a: [1, masked, { b: masked }],
      [masked]: null,
    });
  });

  test('ten megabytes of text with a secret in it', () => {
    const filler = 'the quick brown fox, token by token, jumps over 13 lazy dogs.\n'.repeat(80_000);
    const masked = maskText(JSON.stringify({ text: `${filler}${token}\n${filler}` }));
    expect(masked.length).toBeGreaterThan(9.9e6);
    expect(masked).not.toContain(token);
  });

  test('what cannot be scanned is not shown, the rest of the line is', () => {
    const masker = createMasker({ longest: 50 });
    expect(maskJson({ a: 'x'.repeat(60), b: 'short' }, masker)).toEqual({ a: NOT_SCANNED, b: 'short' });
    expect(masker.told.notScanned).toBe(1);
  });

  test('any JSON: still JSON, of the same shape, and masking again changes nothing', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(...SAMPLES.map((sample) => sample.text)));
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        const line = JSON.stringify(value);
        const masked = maskText(line);
        expect(shapeOf(masked)).toBe(shapeOf(line));
        expect(maskText(masked)).toBe(masked);
      }),
    );
  });
});

describe('nothing is masked that is no secret', () => {
  test('in every recorded line', () => {
    const masker = createMasker();
    for (const file of recordings()) {
      for (const line of readFileSync(file, 'utf8').split('\n')) maskJsonText(line, masker);
    }
    expect([...masker.told.masked]).toEqual([]);
    expect(masker.told.notScanned).toBe(0);
  });
});

/** Everything but what the strings say. */
function shapeOf(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"/g, '""');
}

function allStrings(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(allStrings);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [key, ...allStrings(each)]);
}

test('JSON that is told to be clean at once has nothing to mask: every sample, wherever it stands', () => {
  const secrets = fc.constantFrom(...SAMPLES.map(({ text }) => text));
  const around = fc.stringMatching(/^[\x00-\x7f\\"]{0,6}$/);
  const piece = fc.tuple(around, fc.oneof(secrets, fc.string()), around).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(piece, { maxLength: 3 }), fc.constantFrom(0, 2), (value, pieces, indent) => {
      const json = JSON.stringify({ value, pieces }, null, indent);
      const masker = createMasker();
      if (masker.isClean(json)) expect(Buffer.from(maskJsonBytes(Buffer.from(json), masker)).toString()).toBe(json);
    }),
    { numRuns: 2000 },
  );
});

test('names and values apart are never clean', () => {
  for (const value of [
    { password: 'hunter2xyz' },
    { cookie: 'sid=0d9f8a7b6c5e' },
    ['--password', 'hunter2xyz'],
    { a: `\b${token}` },
  ])
    expect(createMasker().isClean(JSON.stringify(value))).toBe(false);
  expect(createMasker().isClean(JSON.stringify({ a: 'nothing at all', b: ['of', 'the', 'kind'] }))).toBe(true);
});
