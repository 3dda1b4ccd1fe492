/** Every recorded conversation can be told again, in a form that the SDK's client takes. */
import { agent, client, methods, type SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { replayOf } from '../../src/cli/acp/replay.ts';
import { readSessionOf } from '../../src/disk/read.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';

test('the recordings, told again', async () => {
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => complaints.mockRestore());
  const heard: SessionUpdate[] = [];
  const editor = client().onNotification(methods.client.session.update, ({ params }) => void heard.push(params.update));
  const connection = agent().connect(editor);
  onTestFinished(() => connection.close());
  const sent: SessionUpdate[] = [];
  for (const file of transcriptsBelow(FIXTURES)) {
    for (const update of replayOf(turnsOf(readSessionOf(file).entries), '/work')) {
      sent.push(update);
      await connection.client.notify(methods.client.session.update, { sessionId: 's', update });
    }
  }
  await expect.poll(() => heard.length).toBe(sent.length);
  expect(complaints).not.toHaveBeenCalled();
  const kinds = new Set(sent.map(({ sessionUpdate }) => sessionUpdate));
  expect([...kinds].sort()).toEqual([
    'agent_message_chunk',
    'agent_thought_chunk',
    'plan',
    'tool_call',
    'user_message_chunk',
  ]);
  const calls = sent.filter((update) => update.sessionUpdate === 'tool_call');
  expect(calls.some(({ content }) => content?.some(({ type }) => type === 'diff'))).toBe(true);
});
