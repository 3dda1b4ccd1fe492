/** A conversation as it stands in its transcript, told again as updates. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { blocksOf, toBlocks } from '../../format/content.ts';
import { jsonOf } from '../../format/entry.ts';
import { asObject, type JsonObject } from '../../format/json.ts';
import { contentOfCall, inputOfCall, textOfCall, toolResultOf } from '../../graph/toolcalls.ts';
import type { ToolCall, Turn } from '../../graph/types.ts';
import { type Item, itemsOf } from '../../views/items.ts';
import { safeText } from '../../views/safe.ts';
import { contentOf, imageOf, kindOf, locationsOf, titleOf } from './calls.ts';
import { doneDiff } from './diffs.ts';
import { isQuiet, planOf } from './teller.ts';

export function* replayOf(turns: readonly Turn[], cwd: string): Generator<SessionUpdate> {
  for (const turn of turns) for (const item of itemsOf(turn)) yield* itemUpdates(item, cwd);
}

function* itemUpdates(item: Item, cwd: string): Generator<SessionUpdate> {
  const messageId = item.entry.head.message?.id ?? item.entry.head.uuid;
  const words = (sessionUpdate: Said, text: string): SessionUpdate => ({
    sessionUpdate,
    content: { type: 'text', text: safeText(text) },
    ...(messageId !== undefined && { messageId }),
  });
  switch (item.type) {
    case 'prompt':
      if (item.text !== '') yield words('user_message_chunk', item.text);
      for (const block of blocksOf(jsonOf(item.entry) ?? {})) {
        const image = block.type === 'image' ? imageOf(block.mediaType, block.data) : undefined;
        if (image !== undefined) yield { sessionUpdate: 'user_message_chunk', content: image };
      }
      return;
    case 'text':
    case 'api_error':
      yield words('agent_message_chunk', item.text);
      return;
    case 'thinking':
      yield words('agent_thought_chunk', item.text);
      return;
    case 'call':
      yield* callUpdates(item.call, cwd);
      return;
    default: {
      const image = imageOf(item.image?.mediaType, item.image?.data);
      if (image !== undefined) yield { sessionUpdate: 'agent_message_chunk', content: image };
      else if (item.label === 'queued prompt') yield words('user_message_chunk', item.text);
      else if (item.label === 'output' || item.label === 'client') yield words('agent_message_chunk', item.text);
    }
  }
}

type Said = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';

function* callUpdates(call: ToolCall, cwd: string): Generator<SessionUpdate> {
  const result = toolResultOf(call);
  if (isQuiet(call.name)) {
    if (result.kind === 'todo') yield { sessionUpdate: 'plan', entries: planOf(asObject(result.raw)?.newTodos) };
    return;
  }
  const input: JsonObject = asObject(inputOfCall(call)) ?? {};
  const changed = call.status === 'ok' ? doneDiff(result) : { content: [] };
  const isProse = call.name === 'Agent' || call.name === 'Task' || kindOf(call.name) === 'fetch';
  const content = changed.content.length > 0 ? changed.content : contentOf(given(call), isProse);
  yield {
    sessionUpdate: 'tool_call',
    toolCallId: call.id,
    title: titleOf(call.name, input, cwd),
    name: call.name,
    kind: kindOf(call.name),
    status: call.status === 'ok' || call.status === 'background' ? 'completed' : 'failed',
    content,
    locations: locationsOf(input, cwd, changed.line),
    rawInput: input,
  };
}

/** Images come as they are, text with what was saved beside the transcript left there. */
function given(call: ToolCall): string | JsonObject[] {
  const blocks = toBlocks(contentOfCall(call));
  if (blocks.some(({ type }) => type === 'image')) return blocks.map(({ raw }) => raw);
  return textOfCall(call) ?? '';
}
