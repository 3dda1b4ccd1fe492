/** What a hook sends while a session grows is what an export sends of the whole. */
import { appendFileSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Delivery } from '../../src/export/otlp/courier.ts';
import { endpointOf } from '../../src/export/otlp/endpoint.ts';
import { deliverSession, type SessionSpans } from '../../src/export/otlp/session.ts';
import { tempFolder, transcriptsBelow } from './files.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { Row } from './servermapping.ts';
import { LATER, sha256 } from './spans.ts';

export const SPANS: SessionSpans = { hash: sha256, now: LATER };
export const QUICK = { firstWaitMs: 1, longestWaitMs: 2000 };

export function deliveryTo(url: string, home: string, more: Partial<Delivery> = {}): Delivery {
  const endpoint = endpointOf('langfuse', { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk' }, url);
  return { endpoint, home, sender: { version: '1' }, patience: QUICK, timeoutMs: 20_000, lockWaitMs: 20_000, ...more };
}

/** Every session of a recording. */
export async function expectSameRows(folder: string): Promise<void> {
  const sessions = transcriptsBelow(folder).filter(
    (file) => basename(dirname(dirname(file))) === 'projects' && !basename(file).startsWith('agent-'),
  );
  for (const original of sessions) {
    const { server, file } = await growing(original);
    const whole = await startReceiver();
    const { open } = await deliverSession({ file, whole: true }, SPANS, deliveryTo(whole.url, tempFolder()));
    const turns = new Set([...whole.rows.values()].map(({ traceId }) => traceId));
    const rowsOf = ({ rows }: Receiver) => [...rows.values()].filter(({ traceId }) => turns.has(traceId));
    const brief = (rows: readonly Row[]) => rows.map(({ key, type, name }) => `${type} ${name} ${key}`).sort();
    expect(brief(rowsOf(server))).toEqual(brief(rowsOf(whole)));
    // A turn that was over and went on without an end is there as it was; nothing else is.
    const others = [...server.rows.values()].flatMap(({ traceId }) => (turns.has(traceId) ? [] : traceId));
    expect(new Set(others).size).toBeLessThanOrEqual(open);
  }
}

/** Sent after each line that says something; its agents are there from the start. */
async function growing(original: string): Promise<{ server: Receiver; file: string }> {
  const server = await startReceiver();
  const home = tempFolder();
  const project = join(tempFolder(), 'projects', '-work-app');
  const [from, file] = [dirname(original), join(project, basename(original))];
  for (const agent of transcriptsBelow(from).filter((each) => basename(each).startsWith('agent-'))) {
    const target = join(project, agent.slice(from.length));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(agent, target);
  }
  mkdirSync(project, { recursive: true });
  for (const line of readFileSync(original, 'utf8').split(/(?<=\n)/)) {
    appendFileSync(file, line);
    if (!/"type":"(?:user|assistant)"/.test(line)) continue;
    await deliverSession({ file }, { ...SPANS, now: undefined }, deliveryTo(server.url, home));
  }
  await deliverSession({ file }, SPANS, deliveryTo(server.url, home));
  return { server, file };
}
