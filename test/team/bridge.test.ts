/** The thread that asks a team while another waits. */
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { PlaceError } from '../../src/disk/errors.ts';
import { openBridge } from '../../src/team/read/bridge.ts';
import type { Start } from '../../src/team/read/thread.ts';

const target = { url: 'http://127.0.0.1:1', database: 'skein', user: 'default', password: '', name: 'there' };

test('a thread that was given up cannot answer for the next: each has memory of its own', async () => {
  const starts: Start[] = [];
  let ended = 0;
  const start = (each: Start) => {
    starts.push(each);
    const { port1: port, port2 } = new MessageChannel();
    port.unref();
    port2.unref();
    const terminate = async () => {
      ended += 1;
      return 0;
    };
    return { worker: { terminate }, port };
  };
  const bridge = openBridge(target, { start, patience: 1 });
  expect(() => bridge.ask('SELECT 1')).toThrow(PlaceError);
  expect(() => bridge.ask('SELECT 1')).toThrow('the team does not answer: there');
  expect([starts.length, ended]).toEqual([2, 2]);
  expect(starts[0]?.signal).not.toBe(starts[1]?.signal);
  await bridge.close();
});

test('who listens for Ctrl-C hears it again after a long wait, and once where it was for once', () => {
  const { port1: port } = new MessageChannel();
  port.unref();
  const start = () => ({ worker: { terminate: async () => 0 }, port });
  let heard = 0;
  const always = () => {
    heard += 1;
  };
  const once = () => {
    heard += 10;
  };
  process.on('SIGTERM', always);
  process.once('SIGTERM', once);
  try {
    expect(() => openBridge(target, { start, patience: 1 }).ask('SELECT 1')).toThrow(PlaceError);
    process.emit('SIGTERM');
    process.emit('SIGTERM');
    expect(heard).toBe(12);
  } finally {
    process.off('SIGTERM', always);
    process.off('SIGTERM', once);
  }
});
