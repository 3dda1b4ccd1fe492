/**
 * The terminal library makes its segmenter and its table of emoji as it is loaded, 25 ms of CPU. In the bundle they are made when a text needs
 * them, and the characters that frames are drawn with count as one column each, as plain ASCII does.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const CHANGES: readonly (readonly [from: RegExp, to: string])[] = [
  [
    /const (graphemeSegmenter|wordSegmenter) = new Intl\.Segmenter\(undefined, (\{ granularity: "\w+" \})\);/g,
    'let made_$1; const $1 = { segment: (text) => (made_$1 ??= new Intl.Segmenter(undefined, $2)).segment(text) };',
  ],
  [
    /const rgiEmojiRegex = (\/\^\\p\{RGI_Emoji\}\$\/v);/,
    'let madeEmoji; const rgiEmojiRegex = { test: (text) => (madeEmoji ??= new RegExp("^\\\\p{RGI_Emoji}$", "v")).test(text) };',
  ],
  [
    /function isPrintableAscii\(str\) \{\n/,
    'function isPrintableAscii(str) {\n    if (/^[\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u2010-\\u2027\\u2190-\\u2193\\u2212\\u2387\\u23ce\\u2500-\\u259f\\u25cb\\u25cf\\u273b\\u276f]*$/.test(str)) return true;\n',
  ],
  // Without its colours a text is mostly plain.
  [/ {4}\/\/ Calculate width\n/, '    if (isPrintableAscii(clean)) return clean.length;\n'],
];

export const lazyWidths: Plugin = {
  name: 'lazy-widths',
  setup({ onLoad }) {
    onLoad({ filter: /pi-tui[/\\]dist[/\\]utils\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const [from, to] of CHANGES) {
        const changed = contents.replace(from, to);
        if (changed === contents) throw new Error(`${from} is not in the terminal library any more`);
        contents = changed;
      }
      return { contents };
    });
  },
};
