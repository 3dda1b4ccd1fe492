/** Brings a target up to date with the archive, under the policy: sends what is new, takes back what may no longer be there. */
import { tombstonesOf } from '../../archive/forget/tombstones.ts';
import { collectGarbage } from '../../archive/turns.ts';
import { DiskError } from '../../disk/errors.ts';
import { asObject, parseJson } from '../../format/json.ts';
import type { Decision } from '../policy/decide.ts';
import { type Batch, createBatch } from './batch.ts';
import { rowsOfFile, textOfFile } from './filerows.ts';
import { digestOf, openKnown } from './known.ts';
import type { Sender } from './late.ts';
import { timeText } from './linerows.ts';
import { lookOver } from './lookover.ts';
import {
  dropRecall,
  ensureFile,
  type FileRecord,
  hasRows,
  markUnsent,
  type RecallRecord,
  saveLooked,
  saveRecall,
} from './records.ts';
import { PATIENCE } from './retry.ts';
import { sendFile, takeBackFile } from './sendfile.ts';
import { originOf, type PushFile, type PushSession } from './sessions.ts';
import { createShape } from './shape.ts';
import type { HeldSession, PushOptions, PushReport } from './types.ts';

/** Without a team it only counts: nothing is sent and nothing is put down. */
export async function pushAll(team: Sender | undefined, options: PushOptions): Promise<PushReport> {
  const { state, signal } = options;
  const { db } = state;
  if (team === undefined) db.exec('BEGIN');
  const batch = createBatch(team, db, { ...PATIENCE, ...options.patience, signal });
  try {
    return await push(batch, options);
  } finally {
    if (team === undefined) db.exec('ROLLBACK');
  }
}

async function push(batch: Batch, options: PushOptions): Promise<PushReport> {
  const { archive, state, policy, home, signal } = options;
  const { db } = state;
  const known = openKnown(options);
  const { reading, decider, recalls, records, byId, person, machine, chatOf } = known;
  const wanted = known.everything.filter((session) => options.isWanted?.(session) ?? true);

  const sent: string[] = [];
  /** Passed over, or taken by the server. */
  const settled = new Set<string>();
  const held: HeldSession[] = [];
  const takenBack: string[] = [];
  const lines: Record<string, number> = {};
  const problems: PushReport['problems'][number][] = [];
  let unchanged = 0;
  let masked = 0;
  let bytesBefore = 0;
  let stoppedBy: unknown;

  async function takeBack(id: string, by: RecallRecord['by'], reason: string): Promise<void> {
    const own = (records.get(id) ?? []).filter(({ digest, id: file }) => digest !== undefined || hasRows(db, file));
    const recall = recalls.get(id);
    if (own.length === 0 && (recall === undefined || recall.told)) return;
    const version = state.nextVersion(options.now());
    if (recall?.told !== true) {
      const record: RecallRecord = { session: id, by: recall?.by ?? by, reason, told: true };
      batch.add('recalls', recallRow(record, 0));
      batch.note({ before: () => saveRecall(db, { ...record, told: false }), after: () => saveRecall(db, record) });
      // Hidden at once, whatever comes next.
      await batch.flush();
    }
    for (const record of own) await takeBackFile({ batch, db, record, goneVersion: version });
    batch.note({ after: () => takenBack.push(id) });
  }

  async function pushSession(session: PushSession): Promise<void> {
    const shape = createShape({ content: policy.content, home, paths: policy.names === 'path' });
    const size = session.files.reduce((sum, { state: { size: bytes } }) => sum + bytes, 0);
    const onPart = size > LARGE ? collectGarbage : () => {};
    const facts = lookOver(session.files, { pathOf: reading.pathOf, learn: shape.learn, onPart });
    for (const file of session.files) if (!file.isTranscript) learnSmall(shape, reading.pathOf(file), file);
    for (const file of session.files) {
      const record = ensureFile(db, file, machine(file.state.origin));
      saveLooked(db, record.id, digestOf(file), facts.files.get(file)?.cwds.keys() ?? []);
    }
    const decision = decider.session(undefined, facts.cwds);
    if (!decision.allowed) return holdBack(session, decision);
    const retention = known.retentionOf(session, facts.cwds);
    const before = batch.pending + batch.rows;
    const left = known.leftBehind(session);
    for (const record of left) await takeBackFile({ batch, db, record, goneVersion: state.nextVersion(options.now()) });
    const again = left.some((record) => isElsewhere(record, session));
    for (const file of session.files) {
      const record = ensureFile(db, file, machine(file.state.origin));
      const goneVersion = state.nextVersion(options.now());
      const rows = rowsOfFile(file, {
        facts,
        shape,
        person,
        machine: machine(file.state.origin),
        retention,
        version: state.nextVersion(options.now()),
        secret: state.secret,
        pathOf: reading.pathOf,
        isDenied: decider.isDenied,
        hasRules: known.hasRules,
        usageOf: reading.usageOf,
        chatOf,
        onPart,
      });
      const done = { digest: digestOf(file), fingerprint: known.fingerprintOf(file, retention), size: file.state.size };
      const onHeld = (why: string) => {
        lines[why] = (lines[why] ?? 0) + 1;
      };
      const replaces = !known.wasKeptIn(file, retention);
      await sendFile(rows, done, { batch, db, record, goneVersion, again, replaces, onHeld });
      bytesBefore += file.state.size;
    }
    const recall = recalls.get(session.id);
    if (recall !== undefined) {
      batch.add('recalls', recallRow(recall, 1));
      batch.note({ after: () => dropRecall(db, session.id) });
    }
    masked += shape.masked;
    const isNew = batch.pending + batch.rows > before;
    batch.note({
      after: () => {
        settled.add(session.id);
        if (isNew) sent.push(session.id);
        else unchanged += 1;
      },
    });
    if (batch.isFull) await batch.flush();
  }

  async function holdBack(session: PushSession, { rule, why }: Decision): Promise<void> {
    held.push({ session: session.id, rule, why });
    settled.add(session.id);
    await takeBack(session.id, 'policy', 'the policy of its machine');
  }

  function recallRow({ session, by, reason }: RecallRecord, undone: 0 | 1) {
    return { session, name: known.recalledBy(by), reason, undone, time: timeText(options.now()) };
  }

  if (options.again) {
    for (const { id } of wanted) for (const record of records.get(id) ?? []) markUnsent(db, record.id);
  }
  let done = 0;
  try {
    for (const session of wanted) {
      signal.throwIfAborted();
      options.onSession?.(done, wanted.length, session);
      const recall = recalls.get(session.id);
      if (recall?.by === 'person') {
        held.push({
          session: session.id,
          rule: 'recalled',
          why: `it was taken back${recall.reason && `: ${recall.reason}`}`,
        });
        settled.add(session.id);
        await takeBack(session.id, 'person', recall.reason);
      } else if (known.isUnchanged(session)) {
        unchanged += 1;
        settled.add(session.id);
      } else {
        try {
          const quick = decider.session(undefined, known.foldersOf(session));
          // Which project it is of may stand in its agents alone.
          if (!quick.allowed && quick.rule !== 'unknown-project') await holdBack(session, quick);
          else if (!(options.patient && known.isGrowing(session))) await pushSession(session);
        } catch (error) {
          if (!(error instanceof DiskError)) throw error;
          settled.add(session.id);
          problems.push({ what: error.message, where: session.id, next: error.next });
        }
      }
      done += 1;
    }
    for (const recall of recalls.values()) {
      if (recall.by === 'person' && !byId.has(recall.session)) await takeBack(recall.session, 'person', recall.reason);
    }
    if (options.isWanted === undefined) {
      const forgotten = new Set(tombstonesOf(archive.db));
      for (const id of records.keys()) {
        if (!byId.has(id) && forgotten.has(`session:${id}`))
          await takeBack(id, 'forgotten', 'forgotten in its archive');
      }
    }
    await batch.flush();
  } catch (error) {
    stoppedBy = error;
  } finally {
    reading.close();
  }
  return {
    content: policy.content,
    sent,
    unchanged,
    held,
    takenBack,
    lines,
    masked,
    rows: { ...batch.sent },
    bytesBefore,
    bytesSent: batch.bytes,
    problems,
    waiting: wanted.filter(({ id }) => !settled.has(id)).length,
    stoppedBy,
  };
}

/** Rows of a file are called the same wherever it lies: with those of the folder it lay in before the new ones go, and are sent again. */
function isElsewhere({ key, name }: FileRecord, { files }: PushSession): boolean {
  return files.some((file) => file.name === name && file.state.origin === originOf(key));
}

const LARGE = 8 << 20;

function learnSmall(shape: ReturnType<typeof createShape>, path: string, { kind }: PushFile): void {
  const text = textOfFile(path);
  const json = kind === 'tool-result' ? undefined : asObject(parseJson(text));
  shape.learn(json ?? text);
}
