/** What fills the window: the messages that would be sent next, by kind. */
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';
import { tokenText } from '../../views/usage/amounts.ts';

type Kind = 'your words' | 'answers' | 'thinking' | 'calls' | 'results of tools' | 'images';

/** Characters by kind; an image counts as about 1,500 tokens, whatever its bytes. */
export function fillOf(messages: readonly Json[]): ReadonlyMap<Kind, number> {
  const fill = new Map<Kind, number>();
  const add = (kind: Kind, characters: number) => void fill.set(kind, (fill.get(kind) ?? 0) + characters);
  for (const message of messages) {
    const { role, content } = asObject(message) ?? {};
    const said: Kind = role === 'assistant' ? 'answers' : 'your words';
    if (typeof content === 'string') add(said, content.length);
    for (const block of asArray(content)?.filter(isObject) ?? []) add(kindOf(block, said), sizeOf(block));
  }
  return fill;
}

function kindOf({ type }: JsonObject, said: Kind): Kind {
  if (type === 'tool_use' || type === 'server_tool_use') return 'calls';
  if (type === 'image' || type === 'document') return 'images';
  if (type === 'thinking' || type === 'redacted_thinking') return 'thinking';
  return asString(type)?.includes('tool_result') ? 'results of tools' : said;
}

function sizeOf(block: JsonObject): number {
  if (block.type === 'image' || block.type === 'document') return 6000;
  return (asString(block.text) ?? asString(block.thinking) ?? JSON.stringify(block.content ?? block.input ?? block))
    .length;
}

const BAR = 24;

/** `used`: as the API counted; what is not messages is instructions and tools. */
export function contextText(
  messages: readonly Json[],
  tokens: { used: number; isGuess: boolean; window: number },
  model: string,
): string {
  const fill = [...fillOf(messages)].map(([kind, characters]) => ({
    kind: kind as string,
    tokens: Math.round(characters / 4),
  }));
  const said = fill.reduce((sum, each) => sum + each.tokens, 0);
  const rest = tokens.used - said;
  const rows = [...(rest > 0 && !tokens.isGuess ? [{ kind: 'instructions and tools', tokens: rest }] : []), ...fill];
  const most = Math.max(1, ...rows.map((row) => row.tokens));
  const share = tokens.window === 0 ? 0 : Math.round((100 * tokens.used) / tokens.window);
  const lines = rows
    .toSorted((a, b) => b.tokens - a.tokens)
    .map((row) => {
      const bar = '█'.repeat(Math.max(row.tokens > 0 ? 1 : 0, Math.round((BAR * row.tokens) / most)));
      return `  ${row.kind.padEnd(23)} ${tokenText(row.tokens).padStart(6)} ${bar}`;
    });
  const how = tokens.isGuess ? 'guessed from the length of the messages' : 'as counted at the last answer';
  return [
    `${model}: ${tokenText(tokens.used)} of ${tokenText(tokens.window)} tokens (${share}%), ${how}`,
    ...lines,
  ].join('\n');
}
