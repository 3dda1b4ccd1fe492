/** What is told of turns as a hook sends them, from their file alone or with the whole chat, is what an export tells. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { openOriginals } from '../../src/cli/export/originals.ts';
import { deliverSession } from '../../src/export/otlp/session.ts';
import { asArray, asString, at, type Json } from '../../src/format/json.ts';
import { tempFolder, transcriptsBelow } from './files.ts';
import { deliveryTo, SPANS } from './growing.ts';
import { contextHere, runHere } from './inprocess.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const METADATA = 'langfuse.trace.metadata.';

/** By row, of each turn. */
function metadataIn({ last }: Receiver): Record<string, Record<string, string>> {
  const roots = [...last].filter(([, span]) => at(span, 'parentSpanId') === undefined);
  return Object.fromEntries(roots.map(([key, span]) => [key, metadataOf(span)]));
}

function metadataOf(span: Json): Record<string, string> {
  const pairs = (asArray(at(span, 'attributes')) ?? []).map((each) => {
    return [asString(at(each, 'key')) ?? '', JSON.stringify(at(each, 'value'))] as const;
  });
  const named = pairs.filter(([name]) => name.startsWith(METADATA));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(METADATA.length), value]));
}

function sessionsIn(root: string): string[] {
  return transcriptsBelow(root).filter(
    (file) => !basename(file).startsWith('agent-') && basename(dirname(dirname(file))) === 'projects',
  );
}

async function exported(root: string) {
  const [server, home] = [await startReceiver(), tempFolder()];
  const keys = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk', LANGFUSE_BASE_URL: server.url };
  await runHere(['export', 'langfuse', '--all'], { HOME: home, CLAUDE_CONFIG_DIR: root, SKEIN_HOME: home, ...keys });
  return metadataIn(server);
}

/** Session after session, forks after the others, each sent after every line that says something. */
async function grown(root: string) {
  const [server, home, place] = [await startReceiver(), tempFolder(), tempFolder()];
  const env = { HOME: home, CLAUDE_CONFIG_DIR: place, SKEIN_HOME: home };
  const originals = await openOriginals(contextHere(env).context);
  const send = (file: string, now?: number) =>
    deliverSession({ file, originals }, { ...SPANS, now }, deliveryTo(server.url, home));
  const sessions = sessionsIn(root);
  for (const file of transcriptsBelow(root)) {
    const target = join(place, file.slice(root.length));
    mkdirSync(dirname(target), { recursive: true });
    if (!sessions.includes(file)) cpSync(file, target);
  }
  const orderOf = (file: string) => {
    const text = readFileSync(file, 'utf8');
    const [last = ''] =
      text
        .match(/(?<="timestamp":")[^"]+/g)
        ?.sort()
        .reverse() ?? [];
    return `${text.includes('"forkedFrom"')} ${last}`;
  };
  for (const original of sessions.toSorted((a, b) => orderOf(a).localeCompare(orderOf(b)))) {
    const file = join(place, original.slice(root.length));
    writeFileSync(file, '');
    for (const line of readFileSync(original, 'utf8').split(/(?<=\n)/)) {
      appendFileSync(file, line);
      if (/"type":"(?:user|assistant)"/.test(line)) await send(file);
    }
  }
  for (const file of sessionsIn(place)) await send(file, SPANS.now);
  return metadataIn(server);
}

export async function expectSameMetadata(root: string): Promise<void> {
  const [all, told] = [await exported(root), await grown(root)];
  // Agents of deleted sessions are left to an export.
  const both = Object.entries(all).filter(([row]) => row in told);
  expect(told).toEqual(Object.fromEntries(both));
  expect(both.length).toBeGreaterThan(0);
}
