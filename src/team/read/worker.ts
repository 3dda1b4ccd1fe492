/** The thread that asks the server, so that code that answers at once can wait for it (bridge.ts). A bundle of its own. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openTeam, type Team } from '../connect.ts';
import { toTeamError } from '../errors.ts';
import { linesOf } from './lines.ts';
import { ANSWERED, type Answer, CAME, type Request, type Start } from './thread.ts';

const { target, signal }: Start = workerData;
const state = new Int32Array(signal);
let team: Promise<Team> | undefined;

const came = () => {
  Atomics.add(state, CAME, 1);
};

async function answer(request: Request): Promise<Answer> {
  team ??= openTeam(target);
  const asked = await team;
  if (request.kind === 'lines') return { kind: 'lines', pieces: await linesOf(asked, request, came) };
  const rows = [];
  for await (const row of asked.each(request.sql, request.params)) {
    rows.push(row);
    came();
  }
  return { kind: 'rows', rows };
}

async function serve(port: MessagePort, request: Request): Promise<void> {
  let told: Answer;
  try {
    told = await answer(request);
  } catch (error) {
    const { what, where, next } = toTeamError(error, 'The team could not be asked', target.name);
    told = { kind: 'failed', what, where, next };
  }
  const held =
    told.kind === 'lines' ? told.pieces.flatMap((piece) => (piece.kind === 'bytes' ? piece.bytes.buffer : [])) : [];
  port.postMessage(told, held);
  Atomics.store(state, ANSWERED, 1);
  Atomics.notify(state, ANSWERED);
}

parentPort?.once('message', ({ port }: { readonly port: MessagePort }) => {
  port.on('message', (request: Request) => serve(port, request));
});
