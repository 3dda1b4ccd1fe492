/** Bytes of a terminal → text to read: UTF-8 across chunks, without colours, cursor moves and other control characters. */
import { StringDecoder } from 'node:string_decoder';

export interface Cleaner {
  push(bytes: Buffer): string;
  /** What was held back because it might have gone on. */
  end(): string;
}

const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const ALL_CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]+/g;
/** Sequences as ECMA-48 has them. node:util's pattern takes letters after a colour along when a bell follows somewhere. */
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])/g;
/** One whose end has not come yet. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]{0,2048}\x1b?|[PX^_][^\x1b]{0,2048}\x1b?|[ -/]*)$/;

export function createCleaner(): Cleaner {
  const decoder = new StringDecoder('utf8');
  let held = '';
  return {
    push: (bytes) => {
      const text = held + decoder.write(bytes);
      held = '';
      if (!CONTROL.test(text)) return text;
      const open = UNFINISHED.exec(text)?.index ?? text.length;
      held = text.slice(open);
      return withoutControls(text.slice(0, open));
    },
    end: () => withoutControls(held + decoder.end()),
  };
}

function withoutControls(text: string): string {
  return CONTROL.test(text) ? text.replace(SEQUENCE, '').replace(ALL_CONTROL, '') : text;
}
