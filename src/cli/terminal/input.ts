/** Keys from the terminal, whatever protocol it speaks, and its size as it changes. A file of its own in dist/, loaded after the first paint. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePrintableKey, isKeyRelease, parseKey } from '@earendil-works/pi-tui/dist/keys.js';
import { ProcessTerminal } from '@earendil-works/pi-tui/dist/terminal.js';
import { endLostPastes } from './pastes.ts';

export interface Input {
  /** `key`: its name, `ctrl+c`; `text`: what it types. */
  start(onKey: (key: string, text: string) => void, onResize: () => void): void;
  /** The terminal is as it was before `start`, and nothing it still had to say to us is left for the next program. */
  stop(): Promise<void>;
}

/** A terminal tells what it can do within this time, or not at all. */
const ANSWER_MS = 400;
const LOOK_MS = 10;
/** Keys that are let go are told too. */
const DRAIN_MS = 300;
const DRAIN_IDLE_MS = 40;

const PASTE = /^\u001b\[200~([\s\S]*)\u001b\[201~$/;
const PRINTABLE = /^[^\p{Cc}\p{Cs}]+$/u;

export function openInput(): Input {
  const terminal = new ProcessTerminal();
  let began = 0;
  /** The first half of a character that comes in two. */
  let half = '';
  let letPastes = () => {};
  const isAwaited = () => !terminal.modifyOtherKeysActive && performance.now() - began < ANSWER_MS;
  return {
    start: (onKey, onResize) => {
      began = performance.now();
      letPastes = endLostPastes(process.stdin);
      terminal.start((data) => {
        const pasted = PASTE.exec(data)?.[1];
        if (pasted !== undefined) onKey('paste', pasted.replace(/\p{Cc}+/gu, ' '));
        else if (/^[\ud800-\udbff]$/.test(data)) half = data;
        else if (!isKeyRelease(data)) {
          onKey(parseKey(data) ?? '', typedText(half + data));
          half = '';
        }
      }, onResize);
    },
    stop: async () => {
      while (!terminal.kittyProtocolActive && isAwaited()) await sleep(LOOK_MS);
      if (terminal.kittyProtocolActive) await terminal.drainInput(DRAIN_MS, DRAIN_IDLE_MS);
      letPastes();
      terminal.stop();
    },
  };
}

function typedText(data: string): string {
  return PRINTABLE.test(data) ? data : (decodePrintableKey(data) ?? '');
}
