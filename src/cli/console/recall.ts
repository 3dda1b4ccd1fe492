/** A session that is gone on with shows how it stood: the last prompt and the answer to it. */
import { asArray, asNumber, asObject, asString, isObject, parseJson } from '../../format/json.ts';
import { quoted } from '../quoted.ts';
import { shortId } from '../shortid.ts';
import type { App } from './app.ts';
import type { ConsoleHost } from './host.ts';

/** Nothing is shown where nothing was said, or it cannot be read. */
export async function recall(app: App, host: ConsoleHost, sessionId: string): Promise<void> {
  const { out } = await host.verb(['show', sessionId, '--json', '--tools', 'none', '--turn', 'last']);
  const shown = asObject(parseJson(out));
  const turn = asArray(shown?.turns)?.filter(isObject).at(-1);
  const prompt = asString(turn?.prompt);
  if (prompt === undefined) return;
  const number = asNumber(turn?.number) ?? asNumber(turn?.round);
  if (number !== undefined && number > 1) {
    app.put({
      kind: 'note',
      tone: 'dim',
      text: `… ${number - 1} earlier turns: skein show ${quoted(shortId(sessionId))}`,
    });
  }
  app.put({ kind: 'prompt', text: prompt });
  const blocks = (asArray(turn?.messages) ?? [])
    .filter(isObject)
    .flatMap(({ blocks: own }) => (asArray(own) ?? []).filter(isObject));
  const text = blocks.flatMap((block) => (block.type === 'text' ? (asString(block.text) ?? []) : [])).join('\n\n');
  if (text.trim() !== '') app.put({ kind: 'answer', text, goesOn: false });
}
