/** All sessions of one editor: begun, gone on with, listed, closed. */
import { randomUUID } from 'node:crypto';
import {
  type AgentContext,
  type ClientCapabilities,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionRequest,
  methods,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk';
import { accessOf } from '../../agent/model/access.ts';
import type { Turn } from '../../graph/types.ts';
import type { Choice } from '../chat/options.ts';
import { open } from '../chat/run.ts';
import { type Chosen, selected } from '../chat/session.ts';
import { withSettings } from '../chat/settings.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { openFile } from '../opened.ts';
import { listSessions } from './listing.ts';
import { foldersOf, placeFor, serversOf } from './place.ts';
import { promptOf } from './prompt.ts';
import { replayOf } from './replay.ts';
import { type Editor, type OpenSession, openSession } from './session.ts';

export interface DeskOptions {
  readonly context: Context;
  readonly args: Arguments;
  readonly choice: Choice;
  readonly log: (words: string) => void;
}

/** Of session/load and session/resume. */
type GoOn = Omit<LoadSessionRequest, 'mcpServers'> & Partial<Pick<LoadSessionRequest, 'mcpServers'>>;

export function createDesk({ context, args, choice, log }: DeskOptions) {
  const sessions = new Map<string, OpenSession>();
  /** By id: what is being opened or closed. */
  const busy = new Map<string, Promise<unknown>>();
  let can: ClientCapabilities = {};
  const leaving = new AbortController();

  const session = (id: string): OpenSession => {
    const found = sessions.get(id);
    if (found === undefined) throw RequestError.sessionNotFound(id);
    return found;
  };
  /** What is done with one session is done one after the other. */
  const alone = <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const run = (busy.get(id) ?? Promise.resolve()).then(work);
    const settled = run.then(
      () => {},
      () => {},
    );
    busy.set(id, settled);
    void settled.then(() => busy.get(id) === settled && busy.delete(id));
    return run;
  };
  const closeNow = async (id: string) => {
    const found = sessions.get(id);
    sessions.delete(id);
    await found?.close();
  };

  const editorFor = (sessionId: string, client: AgentContext): Editor & { release(): void } => {
    /** An editor knows a session when it has the answer: what is said before waits. */
    let held: SessionUpdate[] | undefined = [];
    const send = (update: SessionUpdate) => {
      if (held !== undefined) held.push(update);
      // Who left hears nothing more.
      else client.notify(methods.client.session.update, { sessionId, update }).catch(() => {});
    };
    return {
      release: () => {
        const said = held ?? [];
        held = undefined;
        for (const update of said) send(update);
      },
      send,
      request: (request, signal) =>
        client.request(
          methods.client.session.requestPermission,
          { sessionId, ...request },
          { cancellationSignal: signal, stopWaitingOnCancel: true },
        ),
      elicit: can.elicitation?.form
        ? (form, signal) =>
            client.request(
              methods.client.elicitation.create,
              { mode: 'form', sessionId, ...form },
              { cancellationSignal: signal, stopWaitingOnCancel: true },
            )
        : undefined,
      notice: (words) => {
        if (can.session?.notices) send({ sessionUpdate: 'notice', severity: 'info', title: words });
        else log(words);
      },
      compaction: Boolean(can.session?.compaction),
    };
  };

  const openOne = async (id: string, request: GoOn | NewSessionRequest, chosen: Chosen, client: AgentContext) => {
    const place = placeFor(context, args, request.cwd);
    const folders = [...choice.folders, ...foldersOf(request.additionalDirectories ?? [])];
    const servers = serversOf(request.mcpServers ?? []);
    const { maxTurns, maxBudgetUSD } = choice;
    const editor = editorFor(id, client);
    const opened = await openSession({
      cwd: place.cwd,
      isNew: chosen.kind === 'new',
      editor,
      limits: { ...(maxTurns !== undefined && { maxTurns }), ...(maxBudgetUSD !== undefined && { maxBudgetUSD }) },
      open: (parts) =>
        open({ ...context, cwd: place.cwd }, args, { ...choice, folders }, place, {
          ...parts,
          chosen,
          signal: leaving.signal,
          ...(servers.size > 0 && { servers }),
        }),
    });
    sessions.set(id, opened);
    if (leaving.signal.aborted) await closeNow(id);
    const introduce = () => {
      editor.release();
      opened.introduce();
    };
    return { state: opened.state, introduce: () => void setImmediate(introduce) };
  };

  return {
    session,
    meet: (capabilities: ClientCapabilities | undefined) => {
      can = capabilities ?? {};
    },
    authenticate: async () => {
      const place = placeFor(context, args, context.cwd);
      const { env } = await withSettings(context, args, choice, place, () => {});
      const access = accessOf(env, 'skein');
      if ('failure' in access) throw RequestError.authRequired(undefined, access.failure.message);
      return {};
    },
    begin: async (request: NewSessionRequest, client: AgentContext): Promise<NewSessionResponse> => {
      const sessionId = randomUUID();
      const { state, introduce } = await openOne(sessionId, request, { kind: 'new', id: sessionId }, client);
      introduce();
      return { sessionId, ...state };
    },
    goOn: (request: GoOn, client: AgentContext, replays: boolean) =>
      alone(request.sessionId, async () => {
        const { sessionId } = request;
        const place = placeFor(context, args, request.cwd);
        const { file, turns } = await found(context, args, sessionId, replays);
        await closeNow(sessionId);
        const { state, introduce } = await openOne(sessionId, request, { kind: 'resume', file }, client);
        for (const update of replayOf(turns, place.cwd)) {
          await client.notify(methods.client.session.update, { sessionId, update });
        }
        introduce();
        return state;
      }),
    list: (request: ListSessionsRequest): Promise<ListSessionsResponse> => listSessions(context, args, request),
    close: async (id: string) => {
      session(id);
      await alone(id, () => closeNow(id));
      return {};
    },
    configure: ({ sessionId, configId, value }: SetSessionConfigOptionRequest): SetSessionConfigOptionResponse => {
      const one = session(sessionId);
      if (configId === 'mode') one.setMode(String(value));
      else if (configId === 'model') one.setModel(String(value));
      else throw RequestError.invalidParams(undefined, `there is no option "${configId}"; there are mode and model`);
      return { configOptions: one.state.configOptions };
    },
    prompt: async ({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> => ({
      stopReason: await session(sessionId).prompt(promptOf(prompt), signal),
    }),
    cancel: (id: string) => sessions.get(id)?.cancel(),
    /** The editor is gone: what runs is ended as it should be. */
    leave: async () => {
      leaving.abort();
      await Promise.all(busy.values());
      await Promise.all([...sessions.keys()].map(closeNow));
    },
  };
}

/** The session of exactly this id, and its conversation. */
async function found(
  context: Context,
  args: Arguments,
  id: string,
  replays: boolean,
): Promise<{ readonly file: string; readonly turns: readonly Turn[] }> {
  if (!/^[\w-]{4,100}$/.test(id)) throw RequestError.sessionNotFound(id);
  const { library, file } = await selected(context, args, id).catch((error) => {
    throw error instanceof CommandError ? new RequestError(-32002, `${error.message} ${error.next}`, { id }) : error;
  });
  if (file.sessionId !== id) throw RequestError.sessionNotFound(id);
  if (!replays || file.bytes === 0) return { file: file.file, turns: [] };
  const files = library.files.filter((each) => each === file || each.kind === 'agent');
  return { file: file.file, turns: openFile(context, args, { ...library, files }, file).turns };
}
