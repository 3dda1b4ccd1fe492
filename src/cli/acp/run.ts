/** From the arguments of `skein acp` to its exit code: the protocol on standard input and output until the editor leaves. */
import { agent as createApp, MessageTooLargeError, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { safeText } from '../../views/safe.ts';
import { choiceOf } from '../chat/options.ts';
import { listenForSignals } from '../chat/signals.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { openStandard } from '../standard.ts';
import { createDesk } from './desk.ts';
import { told } from './errors.ts';
import { initialized } from './initialize.ts';

export async function run(context: Context, args: Arguments): Promise<number> {
  const choice = choiceOf(context, args);
  const signals = listenForSignals();
  const out = openStandard('stdout', 'never', () => signals.stop(0));
  const log = (words: string) => context.err.write(`skein: ${safeText(words)}\n`);
  const desk = createDesk({ context, args, choice, log });
  const app = createApp({ name: 'skein' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      desk.meet(params.clientCapabilities);
      return initialized(params);
    })
    .onRequest(methods.agent.authenticate, () => told(() => desk.authenticate()))
    .onRequest(methods.agent.session.new, ({ params, client }) => told(() => desk.begin(params, client)))
    .onRequest(methods.agent.session.load, ({ params, client }) => told(() => desk.goOn(params, client, true)))
    .onRequest(methods.agent.session.resume, ({ params, client }) => told(() => desk.goOn(params, client, false)))
    .onRequest(methods.agent.session.list, ({ params }) => told(() => desk.list(params)))
    .onRequest(methods.agent.session.close, ({ params }) => told(() => desk.close(params.sessionId)))
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      told(() => desk.session(params.sessionId).setMode(params.modeId)),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params }) => told(() => desk.configure(params)))
    .onRequest(methods.agent.session.prompt, ({ params, signal }) => told(() => desk.prompt(params, signal)))
    .onNotification(methods.agent.session.cancel, ({ params }) => desk.cancel(params.sessionId));
  const output = new WritableStream<Uint8Array>({ write: (bytes) => out.write(Buffer.from(bytes).toString('utf8')) });
  const connection = app.connect(ndJsonStream(output, standardInput()));
  signals.signal.addEventListener('abort', () => connection.close(), { once: true });
  await connection.closed;
  const { reason } = connection.signal;
  if (reason instanceof MessageTooLargeError) log(`${reason.message}; the connection is closed.`);
  await desk.leave();
  signals.close();
  process.stdin.destroy();
  return signals.code ?? 0;
}

/** What cannot be read any more is over. */
function standardInput(): ReadableStream<Uint8Array> {
  const chunks = process.stdin[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const next = await chunks.next().catch(() => ({ done: true, value: undefined }));
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
}
