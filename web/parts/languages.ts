/** The languages that are coloured, with the names and file endings they go by. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
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

/** Other names and the endings of files. */
const NAMES: Readonly<Record<string, Language>> = {
  sh: 'bash',
  zsh: 'bash',
  shell: 'bash',
  console: 'bash',
  h: 'c',
  hpp: 'cpp',
  cc: 'cpp',
  cxx: 'cpp',
  'c++': 'cpp',
  cs: 'csharp',
  'c#': 'csharp',
  scss: 'css',
  patch: 'diff',
  docker: 'dockerfile',
  golang: 'go',
  toml: 'ini',
  cfg: 'ini',
  env: 'ini',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsonc: 'json',
  jsonl: 'json',
  json5: 'json',
  kt: 'kotlin',
  kts: 'kotlin',
  mk: 'makefile',
  make: 'makefile',
  md: 'markdown',
  mdx: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  html: 'xml',
  svg: 'xml',
  vue: 'xml',
  xhtml: 'xml',
  yml: 'yaml',
};

export type Language = keyof typeof LANGUAGES;

/** Its own name for a language or a file ending; undefined where it has none. */
export function languageNamed(name: string): Language | undefined {
  const lower = name.toLowerCase();
  if (Object.hasOwn(NAMES, lower)) return NAMES[lower];
  return isLanguage(lower) ? lower : undefined;
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(LANGUAGES, name);
}

export function languageOfPath(path: string | undefined): Language | undefined {
  const file = path?.split(/[\\/]/).at(-1) ?? '';
  if (/^(?:Dockerfile|Makefile)$/i.test(file)) return languageNamed(file);
  const ending = /\.(\w+)$/.exec(file)?.[1];
  return ending === undefined ? undefined : languageNamed(ending);
}

/** Grammars take a while to make: each when it is used first. */
export function register(language: Language): void {
  if (hljs.getLanguage(language) === undefined) hljs.registerLanguage(language, LANGUAGES[language]);
}
