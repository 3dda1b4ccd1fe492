/** Code in colours. The languages are those that answers are mostly made of; others stay plain. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Paint, Palette } from './palette.ts';

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** Longer code stays plain: nobody waits for colours. */
const MOST_CHARACTERS = 100_000;

/** A line each; undefined where the language is not known. */
export function highlight(code: string, language: string, palette: Palette): string[] | undefined {
  if (!palette.isColored || code.length > MOST_CHARACTERS || hljs.getLanguage(language) === undefined) return undefined;
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
  return painted(value, paintsOf(palette));
}

function paintsOf(palette: Palette): Readonly<Record<string, Paint>> {
  return {
    keyword: palette.magenta,
    literal: palette.magenta,
    built_in: palette.accent,
    type: palette.accent,
    title: palette.blue,
    section: palette.blue,
    string: palette.good,
    regexp: palette.good,
    addition: palette.good,
    deletion: palette.bad,
    number: palette.warn,
    symbol: palette.warn,
    attr: palette.accent,
    attribute: palette.accent,
    name: palette.blue,
    tag: palette.blue,
    variable: palette.accent,
    comment: palette.dim,
    meta: palette.dim,
    quote: palette.dim,
  };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'", '#39': "'" };

/** Its spans become colours, anew in each line; a colour within another holds till its end. */
function painted(html: string, paints: Readonly<Record<string, Paint>>): string[] {
  const lines = [''];
  const stack: Paint[] = [];
  const plain: Paint = (text) => text;
  for (const [part] of html.matchAll(/<[^>]+>|[^<]+/g)) {
    if (part === '</span>') stack.pop();
    else if (part.startsWith('<')) {
      const name = /class="hljs-([\w-]+)/.exec(part)?.[1] ?? '';
      stack.push(paints[name] ?? stack.at(-1) ?? plain);
    } else {
      const paint = stack.at(-1) ?? plain;
      const text = part.replace(/&([a-z]+|#x?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
      for (const [i, piece] of text.split('\n').entries()) {
        if (i > 0) lines.push('');
        lines[lines.length - 1] += paint(piece);
      }
    }
  }
  return lines;
}
