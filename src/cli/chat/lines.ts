/** What a person writes, line by line, in a terminal or through a pipe: prompts, and answers to questions. */
import { createInterface } from 'node:readline';
import type { Terminal } from '../terminal.ts';

export interface Lines {
  /** Somebody sits there; through a pipe lines are taken one after the other. */
  readonly isTyped: boolean;
  /** The next prompt; undefined when there will be none. */
  next(): Promise<string | undefined>;
  /** The next line, as the answer to a question; undefined when none comes before the signal. */
  answer(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Shows again that something can be written. */
  prompt(): void;
  /** Takes no more. */
  close(): void;
}

export interface LinesOptions {
  readonly out: Terminal;
  /** Said first. */
  readonly first: string;
  /** Ctrl-C in a terminal. */
  onInterrupt(): void;
  /** A prompt typed while nobody waits for one; whether it was taken. */
  onBusy(text: string): boolean;
}

/** An odd number of backslashes at its end: the prompt goes on in the next line. */
const GOES_ON = /(?:^|[^\\])(?:\\\\)*\\$/;

export function createLines({ out, first, onInterrupt, onBusy }: LinesOptions): Lines {
  const { style } = out;
  const isTyped = process.stdin.isTTY === true && out.isTerminal;
  const lines = createInterface({ input: process.stdin, ...(isTyped && { output: out.stream, terminal: true }) });
  const backlog: string[] = first === '' ? [] : [first];
  let draft = '';
  let isOver = false;
  /** Whoever waits: for an answer before a prompt. */
  let asked: ((text: string | undefined) => void) | undefined;
  let waiting: ((text: string | undefined) => void) | undefined;

  const show = (text: string) => {
    if (!isTyped || isOver) return;
    lines.setPrompt(text);
    lines.prompt();
  };
  const prompt = () => show(draft === '' ? style.accent('> ') : style.dim('… '));
  /** Hands over what is there to whoever waits. */
  const settle = () => {
    const waits = asked ?? waiting;
    if (waits === undefined || (backlog.length === 0 && !isOver)) return;
    if (waits === asked) asked = undefined;
    else waiting = undefined;
    waits(backlog.shift());
  };
  const wait = (take: (settled: (text: string | undefined) => void) => void) =>
    new Promise<string | undefined>((resolve) => {
      take(resolve);
      settle();
    });

  lines.on('line', (text) => {
    if (asked === undefined && GOES_ON.test(text)) {
      draft += `${text.slice(0, -1)}\n`;
      prompt();
      return;
    }
    const whole = asked === undefined ? draft + text : text;
    if (asked === undefined) draft = '';
    const isBusy = isTyped && asked === undefined && waiting === undefined;
    if (!isBusy || !onBusy(whole)) backlog.push(whole);
    settle();
  });
  lines.on('SIGINT', () => {
    draft = '';
    onInterrupt();
  });
  lines.on('close', () => {
    if (draft !== '') backlog.push(draft);
    draft = '';
    isOver = true;
    settle();
  });
  return {
    isTyped,
    prompt,
    next: () => {
      prompt();
      return wait((settled) => {
        waiting = settled;
      });
    },
    answer: async (question, signal) => {
      if (signal.aborted) return undefined;
      show(question);
      return wait((settled) => {
        asked = settled;
        signal.addEventListener('abort', () => {
          if (asked === settled) asked = undefined;
          settled(undefined);
        });
      });
    },
    close: () => {
      backlog.length = 0;
      draft = '';
      lines.close();
    },
  };
}
