/** What can be told of sessions before they are read: by what the archive and earlier pushes know of them. */
import { createHash } from 'node:crypto';
import { allStates } from '../../archive/files.ts';
import { isStillGrowing } from '../../archive/index/outlinemaker.ts';
import { archiveId } from '../../archive/store.ts';
import { machineOf, personOf } from '../identity.ts';
import { createDecider } from '../policy/decide.ts';
import { projectOfFile } from './filerows.ts';
import { lookOver } from './lookover.ts';
import { openReading } from './reading.ts';
import { type FileRecord, fileRecords, hasRows, pendingGone, type RecallRecord, recallsIn } from './records.ts';
import { type PushFile, type PushSession, pushSessions } from './sessions.ts';
import type { PushOptions } from './types.ts';

/** A new way to make rows of the same bytes gets a new number: everything is looked at again then. */
const MAKER = 1;

export type Known = ReturnType<typeof openKnown>;

export function openKnown(options: PushOptions) {
  const { archive, state, policy, home } = options;
  const { db } = state;
  const reading = openReading(archive);
  const decider = createDecider(policy, home);
  const everything = pushSessions(allStates(archive.db));
  const records = Map.groupBy(fileRecords(db), ({ session }) => session);
  const recalls = recallsIn(db);
  const person = policy.person ?? personOf(options.target.user);
  const here = archiveId(archive.db);
  /** What was imported from other machines keeps theirs. */
  const machine = (origin: string) => (origin === here ? policy.machine : undefined) ?? machineOf(origin);
  const known = new Map([...records.values()].flat().map((record) => [record.key, record]));

  /** The folders of a file, as its outline or an earlier push knows them. */
  const foldersIn = (file: PushFile): readonly string[] => {
    const record = known.get(file.key);
    if (record?.looked === digestOf(file)) return record.cwds;
    return reading.cwdsOf(file) ?? [...lookOver([file], { pathOf: reading.pathOf, learn: () => {} }).cwds];
  };
  /** Enough to hold most of those back that stay here; whatever may leave is read as a whole before it is decided. */
  const foldersOf = ({ files }: PushSession) =>
    files.flatMap((file) => {
      const isKnown = known.get(file.key)?.looked === digestOf(file);
      return isKnown || file.kind === 'session' ? foldersIn(file) : [];
    });
  const byId = new Map(everything.map((session) => [session.id, session]));
  const chatOf = remembered(reading.chatOf);
  /** Then a line that tells no folder may be of one that is denied. */
  const hasRules = !decider.session(undefined, []).allowed;

  const fingerprintOf = (file: PushFile, retention: string): string => {
    const chat = file.kind === 'session' ? chatOf(file.session) : undefined;
    const said = [
      MAKER,
      policy.content,
      policy.names,
      person,
      machine(file.state.origin),
      home,
      policy.content === 'full' && hasRules,
      chat ?? null,
    ];
    return `${retention}:${createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 24)}`;
  };
  /** Whether all that was sent of a file is known to be of this class. */
  const wasKeptIn = (file: PushFile, retention: string): boolean =>
    known.get(file.key)?.fingerprint?.startsWith(`${retention}:`) === true;

  /** What was sent of files that the archive no longer has there: forgotten, or moved. */
  const leftBehind = ({ id, files }: PushSession): FileRecord[] => {
    const keys = new Set(files.map(({ key }) => key));
    return (records.get(id) ?? []).filter((record) => !keys.has(record.key) && hasRows(db, record.id));
  };

  /** Nothing of it is new, by what is known without reading it. */
  function isUnchanged(session: PushSession): boolean {
    if (options.again) return false;
    const folders = new Set<string>();
    for (const file of session.files) {
      const record = known.get(file.key);
      if (record?.digest !== digestOf(file) || record.looked !== record.digest) return false;
      for (const cwd of record.cwds) folders.add(cwd);
    }
    if (!decider.session(undefined, folders).allowed || recalls.has(session.id)) return false;
    if (leftBehind(session).length > 0) return false;
    const retention = decider.retention(projectIn(session, folders));
    return session.files.every((file) => {
      const record = known.get(file.key);
      return record?.fingerprint === fingerprintOf(file, retention) && pendingGone(db, record.id).length === 0;
    });
  }

  /** Under another policy it does not wait. */
  function isGrowing(session: PushSession): boolean {
    const folders = new Set(session.files.flatMap(({ key }) => known.get(key)?.cwds ?? []));
    const retention = decider.retention(projectIn(session, folders));
    return session.files.some((file) => {
      const record = known.get(file.key);
      const isSame = record !== undefined && record.fingerprint === fingerprintOf(file, retention);
      return isSame && isStillGrowing(file.state, record.size, options.now());
    });
  }

  function projectIn(session: PushSession, folders: ReadonlySet<string>): string | undefined {
    const [own] = session.files;
    if (own === undefined) return undefined;
    const counts = new Map([...folders].map((cwd) => [cwd, 1]));
    const project = projectOfFile(own, {
      files: new Map([[own, { firstTime: undefined, cwds: counts }]]),
      calls: new Map(),
      cwds: folders,
    });
    return folders.has(project) ? project : undefined;
  }

  return {
    reading,
    decider,
    everything,
    byId,
    /** Of earlier pushes, by session. */
    records,
    recalls,
    person,
    machine,
    /** What this machine takes back by itself is its own to undo. */
    recalledBy: (by: RecallRecord['by']) => (by === 'person' ? '' : machineOf(here)),
    foldersOf,
    chatOf,
    hasRules,
    fingerprintOf,
    wasKeptIn,
    leftBehind,
    isUnchanged,
    isGrowing,
    /** The class a session is kept in. */
    retentionOf: (session: PushSession, folders: ReadonlySet<string>) => decider.retention(projectIn(session, folders)),
  };
}

export function digestOf({ state }: PushFile): string {
  return state.digest.toString('hex');
}

function remembered<K, V>(call: (key: K) => V): (key: K) => V {
  const known = new Map<K, { readonly value: V }>();
  return (key) => {
    const value = known.get(key) ?? { value: call(key) };
    known.set(key, value);
    return value.value;
  };
}
