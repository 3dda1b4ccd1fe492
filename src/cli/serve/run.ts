/** Puts the parts of the viewer together and runs them until it is stopped. */
import { existsSync } from 'node:fs';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Running, startServer } from '../../server/start.ts';
import { safeText } from '../../views/safe.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { loadArchiveReader, placesOfProcess, teamStore } from '../shelf.ts';
import { openTerminal, type Terminal } from '../terminal.ts';
import { createCatalog } from './catalog.ts';
import { createChildren } from './children.ts';
import { openInBrowser } from './desktop.ts';
import { followCatalog } from './follow.ts';
import { followTeam } from './followteam.ts';
import { createKeeping } from './keeping.ts';
import { createQuestions } from './questions.ts';
import type { TeamState } from './teamstate.ts';

const PORT = 4747;
const OTHER_PORTS = 50;

export async function runServer(context: Context, args: Arguments, port: number | undefined): Promise<number> {
  const { signal } = context;
  const quiet: Context = { ...context, err: silent(), out: silent(), signal };
  const catalog = createCatalog(quiet, args);
  const team = teamStore(args);
  const teamState = team && (await stateOfTeam(context, args));
  const onFault = faultTeller(quiet, context.err, args.flag('verbose'));
  const { places, env } = placesOfProcess(args);
  const children = createChildren({
    launcher: process.argv[1] ?? '',
    places,
    env: { ...context.env, ...env },
    cwd: context.cwd,
  });
  const keeping = createKeeping({
    children,
    onFault,
    isDemo: () => catalog.list.demo,
    off: team ? `the team ${team.name} is shown` : args.flag('no-sync') ? 'not wanted' : undefined,
    now: context.now,
    onSynced: async () => {
      await loadArchiveReader(context);
      await catalog.look();
    },
    onCounted: catalog.setCounted,
  });
  const questions = createQuestions({ context: quiet, args, catalog, keeping, children });
  const server = await startServer({
    questions,
    web: webFolder(),
    port: port ?? PORT,
    others: port === undefined ? OTHER_PORTS : 0,
    onFault,
  }).catch((error: unknown) => {
    throw cannotListen(error, port);
  });
  try {
    tellWhere(context, args, server);
    if (wantsBrowser(context, args)) openPage(context, server);
    const following = { signal, onLooked: () => keeping.wake(catalog.changes), onFault };
    await (teamState ? followTeam(catalog, teamState, following) : followCatalog(catalog, following));
    return 0;
  } finally {
    keeping.close();
    children.close();
    await server.close();
    await Promise.all([team?.close(), teamState?.close()]);
  }
}

async function stateOfTeam(context: Context, args: Arguments): Promise<TeamState> {
  const [{ openTeamState }, { resolveTarget }] = await Promise.all([
    import('./teamstate.ts'),
    import('../../team/target.ts'),
  ]);
  return openTeamState(resolveTarget(context, args.value('team'), { insecure: args.flag('insecure') }));
}

function tellWhere({ out, err }: Context, args: Arguments, { url }: Running): void {
  if (args.flag('json')) out.write(`${JSON.stringify({ url })}\n`);
  else {
    out.write(`${url}\n`);
    err.write(`${err.style.dim('The address is for you alone. Ctrl-C stops it.')}\n`);
  }
}

async function openPage({ err }: Context, { once }: Running): Promise<void> {
  if (!(await openInBrowser(once))) err.write(`${err.style.dim('No browser could be opened: open the address.')}\n`);
}

/** Whoever reads the address from a pipe opens it himself. */
function wantsBrowser({ out }: Context, args: Arguments): boolean {
  return !args.flag('no-open') && !args.flag('json') && out.isTerminal;
}

function cannotListen(error: unknown, port: number | undefined): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const what: Record<string, string> = {
    EADDRINUSE: 'The port is taken.',
    EACCES: 'The port may not be used.',
    ERR_SOCKET_BAD_PORT: 'There is no such port.',
  };
  const told = what[code];
  if (told === undefined) return error;
  return new CommandError(told, `127.0.0.1:${port ?? PORT}`, 'Choose another: skein serve --port 8080');
}

/** The same thing again, such as at every look, is told once; what breaks off because it is stopped, not at all. */
function faultTeller({ signal }: Context, err: Terminal, verbose: boolean): (error: unknown) => void {
  let last = '';
  return (error) => {
    if (signal.aborted) return;
    const what = error instanceof Error ? error.message : String(error);
    if (what !== last) err.write(`${err.style.bad('skein:')} ${safeText(what)}\n`);
    if (what !== last && verbose && error instanceof Error) err.write(`${error.stack ?? ''}\n`);
    last = what;
  };
}

/** Next to main.cjs in dist/. */
function webFolder(): string {
  const candidates = ['./web', '../../../dist/web'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return candidates.find((folder) => existsSync(folder)) ?? candidates[0] ?? '';
}

function silent() {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  return openTerminal(stream, { isTerminal: false, color: 'never', env: {} });
}
