/** Code → lines of coloured pieces, made while the page has nothing else to do. */
import type { Emitter } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import { useEffect, useState } from 'preact/hooks';
import { type Language, register } from './languages.ts';

export interface Piece {
  readonly text: string;
  /** A class of chat.css; undefined for plain text. */
  readonly scope: string | undefined;
}

type Lines = readonly (readonly Piece[])[];

/** Longer texts stay plain. */
const LONGEST = 60_000;
const MOST_KEPT = 300;
const kept = new Map<string, Lines>();

/** Gathers what highlight.js finds as pieces instead of HTML. */
class Pieces implements Emitter {
  readonly found: Piece[] = [];
  private readonly scopes: string[] = [];

  addText(text: string): void {
    if (text !== '') this.found.push({ text, scope: this.scopes.at(-1) });
  }
  startScope(name: string): void {
    this.scopes.push(name);
  }
  endScope(): void {
    this.scopes.pop();
  }
  openNode(name: string): void {
    this.startScope(name);
  }
  closeNode(): void {
    this.endScope();
  }
  __addSublanguage(other: Emitter): void {
    if (other instanceof Pieces) this.found.push(...other.found);
  }
  closeAllNodes(): void {}
  finalize(): void {}
  toHTML(): string {
    return '';
  }
}

hljs.configure({ __emitter: Pieces });

export function highlight(code: string, language: Language): Lines {
  register(language);
  const { _emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  return linesOf(_emitter instanceof Pieces ? _emitter.found : [{ text: code, scope: undefined }]);
}

function linesOf(pieces: readonly Piece[]): Lines {
  const lines: Piece[][] = [[]];
  for (const { text, scope } of pieces) {
    for (const [place, part] of text.split('\n').entries()) {
      if (place > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ text: part, scope: scope?.split('.')[0] });
    }
  }
  return lines;
}

/** Plain lines first, the coloured ones when they are there. */
export function useHighlighted(code: string, language: Language | undefined): Lines | undefined {
  const key = `${language} ${code}`;
  const [, arrived] = useState('');
  const ready = language === undefined ? undefined : kept.get(key);
  useEffect(() => {
    if (language === undefined || code.length > LONGEST || kept.has(key)) return;
    return whenIdle(() => {
      const [oldest] = kept.keys();
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(key, highlight(code, language));
      arrived(key);
    });
  }, [key, code, language]);
  return ready;
}

function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(run, 30);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run, { timeout: 1000 });
  return () => cancelIdleCallback(handle);
}
