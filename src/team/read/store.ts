/** A team as a store: its files at paths below `team:`, read through the thread that asks the server. */
import { dirname, join } from 'node:path';
import type { SessionFile } from '../../disk/find.ts';
import { mountFile, setApart, unmountFile } from '../../disk/mounts.ts';
import type { Known, Store } from '../../store/store.ts';
import { openTeam, type Team, type TeamTarget } from '../connect.ts';
import { TEAM_ROOT, teamPath } from '../paths.ts';
import { createTeamUsage } from '../usage/known.ts';
import type { Ask, Places } from './ask.ts';
import { keyOf, mountBodies } from './bodies.ts';
import { type Bridge, openBridge } from './bridge.ts';
import { createContents } from './contents.ts';
import { listFiles, type TeamFile, type Wanted } from './files.ts';
import { createTeamOutlines } from './outlines.ts';

export interface TeamStore extends Store {
  /** Lists those that are wanted, and makes them readable. */
  look(wanted?: Wanted): Looked;
}

/** What a look found. */
export interface Looked {
  readonly files: readonly SessionFile[];
  readonly known: Known;
  /** Those that may belong to the chat of a session, with it: what any machine took for one chat. */
  kinOf(session: SessionFile, sessions: readonly SessionFile[]): SessionFile[];
  projectOf(file: SessionFile): string | undefined;
}

export function openTeamStore(target: TeamTarget): TeamStore {
  setApart(TEAM_ROOT);
  const bridge = openBridge(target);
  const contents = createContents(bridge);
  const mounted = new Map<string, string>();
  let known = NOTHING_KNOWN;
  let opened: Promise<Team> | undefined;
  const team = () => {
    opened ??= openTeam(target);
    return opened;
  };

  function mountAll(files: ReadonlyMap<string, TeamFile>, isAll: boolean): void {
    const gone = isAll ? [...mounted.keys()].filter((path) => !files.has(path)) : [];
    for (const path of gone) {
      mounted.delete(path);
      unmountFile(path);
    }
    // As long as nothing was pushed, what was fetched stays.
    const fresh = new Map([...files].filter(([path, file]) => mounted.get(path) !== stampOf(file)));
    const transcripts = new Map([...fresh].filter(([, file]) => isTranscript(file)));
    const beside = new Map([...fresh].filter(([, file]) => !isTranscript(file)));
    const mounts = [...contents.mount(transcripts), ...mountBodies(bridge.ask, beside)];
    for (const [path, mount] of mounts) mountFile(path, mount);
    for (const [path, file] of fresh) mounted.set(path, stampOf(file));
  }

  function look(wanted?: Wanted): Looked {
    const listed = listWhole(bridge.ask, wanted).map((file): [string, TeamFile] => [pathOf(file), file]);
    const files = new Map(listed.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    mountAll(files, wanted === undefined);
    known = knownOf(bridge, files);
    return {
      files: [...files].flatMap(([path, file]) => toSessionFile(path, file, (meta) => files.has(meta)) ?? []),
      known,
      kinOf: (session, sessions) => kinOf(files, session, sessions),
      projectOf: ({ file }) => files.get(file)?.project || undefined,
    };
  }

  return {
    source: 'team',
    name: target.name,
    look,
    mount: () => [...look().files],
    earlier: () => [],
    get known() {
      return known;
    },
    async search(request) {
      const { searchTeam } = await import('../search/search.ts');
      return searchTeam(await team(), request);
    },
    async close() {
      await bridge.close();
      await (await opened)?.close();
    },
  };
}

const nothing = () => undefined;
const NOTHING_KNOWN: Known = {
  outlineOf: nothing,
  updatedOf: nothing,
  usageOf: nothing,
  usageCells: nothing,
  chatOf: nothing,
};

/** With what is wanted all that belongs to the same chats. */
function listWhole(ask: Ask, wanted?: Wanted): TeamFile[] {
  let files = listFiles(ask, wanted);
  if (wanted === undefined) return files;
  for (let before = 0; files.length > 0; ) {
    const chats = [...new Set(files.flatMap(({ session, chat }) => [session, chat]))].filter((id) => id !== '');
    if (chats.length === before) break;
    if (chats.length > MOST_CHATS) return wanted.id === undefined ? listFiles(ask) : files;
    before = chats.length;
    files = listFiles(ask, { chats });
  }
  return files;
}

/** Of more all are listed. A few letters that fit so many are a question back, not something to be opened. */
const MOST_CHATS = 10_000;

function knownOf({ ask }: Bridge, files: ReadonlyMap<string, TeamFile>): Known {
  const byKey = new Map([...files].map(([path, { session, name }]) => [keyOf(session, name), path]));
  const places: Places = {
    pathOf: (session, name) => byKey.get(keyOf(session, name)) ?? teamPath('', name),
    placeOf: (path) => files.get(path),
  };
  const outlineOf = createTeamOutlines(ask, [...files.values()].filter(isTranscript));
  const at = <T>({ file }: SessionFile, read: (file: TeamFile) => T): T | undefined => {
    const found = files.get(file);
    return found && read(found);
  };
  return {
    outlineOf: (file) => at(file, outlineOf),
    updatedOf: (file) => at(file, ({ updated }) => updated),
    ...createTeamUsage(ask, places),
    // Asked for by searches of files alone.
    chatOf: nothing,
  };
}

function pathOf({ slug, name }: TeamFile): string {
  return teamPath(slug, name);
}

function isTranscript({ kind }: TeamFile): boolean {
  return kind === 'session' || kind === 'agent';
}

function stampOf({ version, bytes, lines }: TeamFile): string {
  return `${version} ${bytes} ${lines}`;
}

function toSessionFile(path: string, file: TeamFile, isThere: (path: string) => boolean): SessionFile | undefined {
  if (!isTranscript(file)) return undefined;
  const { slug, name, session, bytes, mtimeMs } = file;
  const sessionId = (name.split('/').at(-1) ?? name).replace(/\.jsonl$/, '');
  const rest = { file: path, root: TEAM_ROOT, slug, sessionId, bytes, mtimeMs, source: 'team' as const };
  if (file.kind === 'session') return { ...rest, kind: 'session' };
  const meta = join(dirname(path), `${sessionId}.meta.json`);
  return {
    ...rest,
    kind: 'agent',
    agentId: sessionId.replace(/^agent-/, ''),
    ...(session !== '' && { parentSessionId: session }),
    ...(isThere(meta) && { metaFile: meta }),
  };
}

/** Sessions that share a chat's id with it, or with one that does. A chat has the id of one of its sessions. */
function kinOf(
  listed: ReadonlyMap<string, TeamFile>,
  session: SessionFile,
  sessions: readonly SessionFile[],
): SessionFile[] {
  const idsOf = ({ file }: SessionFile) => [listed.get(file)?.session, listed.get(file)?.chat].filter((id) => !!id);
  const ids = new Set(idsOf(session));
  const kin = new Set([session]);
  for (let before = -1; before < kin.size; ) {
    before = kin.size;
    for (const each of sessions) {
      if (kin.has(each) || !idsOf(each).some((id) => ids.has(id))) continue;
      kin.add(each);
      for (const id of idsOf(each)) ids.add(id);
    }
  }
  return sessions.filter((each) => kin.has(each));
}
