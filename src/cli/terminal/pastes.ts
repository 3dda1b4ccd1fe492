/** A paste whose end is lost on the way would swallow every key from then on: Ctrl-C by itself ends it. */
import type { EventEmitter } from 'node:events';

const BEGIN = '\u001b[200~';
const END = '\u001b[201~';
const CTRL_C = '\u0003';

/** Before the terminal listens: its end has to come first. Returns how to stop. */
export function endLostPastes(stdin: EventEmitter): () => void {
  let isOpen = false;
  const listener = (data: unknown) => {
    const text = String(data);
    if (isOpen && text === CTRL_C) stdin.emit('data', END);
    const [begin, end] = [text.lastIndexOf(BEGIN), text.lastIndexOf(END)];
    if (begin !== end) isOpen = begin > end;
  };
  stdin.on('data', listener);
  return () => void stdin.off('data', listener);
}
