/** What would be sent, as a tree. */
import { counted } from '../../views/counted.ts';
import { spanTree } from '../../views/spans/tree.ts';
import type { TurnTrace } from '../../views/spans/types.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { inertJson, jsonText } from '../jsontext.ts';
import { write } from '../write.ts';
import { type ChatToSend, tracesOf } from './tracechats.ts';

export async function printTraces(
  context: Context,
  args: Arguments,
  chosen: ChatToSend,
  since = Number.NEGATIVE_INFINITY,
): Promise<number> {
  const { chats, orphans } = chosen;
  const { ofChat, ofOrphans } = await tracesOf(context, args, chosen);
  const json = args.flag('json');
  const counts = { spans: 0, turns: 0, open: 0, undated: 0 };
  let separator = '';
  if (json) await write(context.out, '{\n  "traces": [');
  const parts = [...chats.map((chat) => () => ofChat(chat)), ...orphans.map((each) => () => ofOrphans(each))];
  for (const part of parts) {
    const traces = part();
    counts.open += traces.filter(({ status }) => status === 'open').length;
    counts.undated += traces.filter(({ status }) => status === 'undated').length;
    // A secret that shows itself late is masked in what came before it, too.
    for (const trace of traces) trace.learn();
    for (const trace of traces) {
      const spans = trace.spans();
      if (spans[0] === undefined || spans[0].startMs < since) continue;
      counts.spans += spans.length;
      counts.turns += 1;
      await write(
        context.out,
        json ? `${separator}\n${inertJson(JSON.stringify(traceJson(trace, spans)))}` : spanTree(spans),
      );
      separator = ',';
    }
  }
  if (json) {
    const facts = jsonText({ dryRun: true, sent: 0, ...counts }).slice(2);
    await write(context.out, `\n  ],\n${facts}\n`);
  } else {
    const { spans, turns, open, undated } = counts;
    const rest = `${open > 0 ? `, ${open} not over yet` : ''}${undated > 0 ? `, ${undated} without any time` : ''}`;
    context.err.write(`${counted(turns, 'turn')}, ${counted(spans, 'span')}${rest}; nothing was sent\n`);
  }
  return 0;
}

function traceJson({ traceId, turn, promptId }: TurnTrace, spans: ReturnType<TurnTrace['spans']>) {
  return { traceId, turn, promptId, spans };
}
