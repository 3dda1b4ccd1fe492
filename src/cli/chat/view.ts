/** A turn as lines on a terminal: the words as they come, and one line for each call. */
import type { LoopEvent, ModelEvent } from '../../agent/ports.ts';
import type { ToolOutcome } from '../../agent/tools/tool.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import { firstLine, mainArgument } from '../../views/toolview.ts';
import { cut, displayWidth } from '../layout.ts';
import type { Terminal } from '../terminal.ts';

export interface View {
  watch(event: LoopEvent): void;
  /** A line of our own; what was being written ends first. */
  line(text: string): void;
}

export function createView(out: Terminal): View {
  const { style } = out;
  let isOpen = false;
  const calls = new Map<string, JsonObject>();
  const denied = new Set<string>();
  const put = (text: string) => {
    if (text === '') return;
    out.write(text);
    isOpen = !text.endsWith('\n');
  };
  const line = (text: string) => put(`${isOpen ? '\n' : ''}${text}\n`);

  const model = (event: ModelEvent) => {
    if (event.kind === 'delta' && event.what === 'text') put(safeText(event.text));
    else if (event.kind === 'block' && event.block.type === 'text') line('');
    else if (event.kind === 'retry') line(style.warn(safeLine(retryText(event))));
    else if (event.kind === 'fallback') line(style.warn(safeLine(`${event.from} is overloaded; ${event.to} is asked`)));
  };
  const call = (mark: string, name: string, input: JsonObject, outcome: string) => {
    const words = safeLine(`${name} ${mainArgument(input)}`).trimEnd();
    const width = Math.min(out.columns || 80, 200) - 2;
    const shown = cut(words, Math.max(20, Math.floor(width * 0.6)));
    line(`${mark} ${shown} ${style.dim(cut(`→ ${outcome}`, Math.max(10, width - displayWidth(shown))))}`);
  };

  /** Of an agent only what it does, beside whose it is. */
  const agent = ({ agentType, event }: Extract<LoopEvent, { kind: 'agent' }>) => {
    if (event.kind === 'tool-start') {
      const words = safeLine(`${agentType}: ${event.name} ${mainArgument(event.input)}`).trimEnd();
      line(style.dim(`  ${cut(words, Math.min(out.columns || 80, 200) - 2)}`));
    } else if (event.kind === 'denied') call(style.bad('✗'), `${agentType}: ${event.name}`, event.input, 'not allowed');
  };

  return {
    line,
    watch: (event) => {
      if (event.kind === 'agent') agent(event);
      else if (event.kind === 'model') model(event.event);
      else if (event.kind === 'compacting') line(style.dim('(the conversation is being summarized)'));
      else if (event.kind === 'tool-start') calls.set(event.id, event.input);
      else if (event.kind === 'denied') {
        denied.add(event.id);
        call(style.bad('✗'), event.name, event.input, 'not allowed');
      } else if (event.kind === 'tool-end') {
        const { id, name, outcome } = event;
        if (denied.delete(id)) return;
        call(outcome.isError ? style.bad('✗') : style.good('•'), name, calls.get(id) ?? {}, outcomeText(outcome));
        calls.delete(id);
      }
    },
  };
}

function retryText({ failure, attempt, maxRetries, delayMs }: Extract<ModelEvent, { kind: 'retry' }>): string {
  const seconds = Math.max(1, Math.round(delayMs / 1000));
  return `(${failure.message}; again in ${seconds} s, ${attempt} of ${maxRetries})`;
}

/** Of what failed its first line; else how much came back. */
function outcomeText({ content, isError }: ToolOutcome): string {
  const text = typeof content === 'string' ? content : content.map((block) => asString(block.text) ?? '').join('\n');
  if (isError) return safeLine(firstLine(text)) || 'failed';
  if (text.trim() === '') return typeof content === 'string' ? 'done' : 'an image';
  const lines = text.trimEnd().split('\n').length;
  return lines === 1 ? safeLine(text.trim()) : `${lines} lines`;
}
