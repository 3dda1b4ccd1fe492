/** Files that go with a session to another place, where some may be already. Nothing that is there is lost. */
import { statSync } from 'node:fs';
import { copyFile, digestOf } from '../../disk/copy.ts';
import { inChunks, writeFileAtomic } from '../../disk/durable.ts';
import { isOnDisk } from '../../disk/mounts.ts';
import { readLinesOf, readSessionOf } from '../../disk/read.ts';
import { type Draft, encodeDraft } from '../../edit/log.ts';
import { type Relation, relationOf } from '../../edit/merge.ts';
import type { Entry } from '../../format/entry.ts';
import type { Context } from '../context.ts';
import { saveBackup } from './backup.ts';
import type { Belonging } from './belongings.ts';

/** made: it was not there yet · there: it is now, as a whole · kept: another is there. */
export function bring(
  context: Context,
  { file, transcript }: Belonging,
  to: string,
  { verb, draft }: { readonly verb: string; readonly draft: (entries: readonly Entry[]) => Draft },
): 'made' | 'there' | 'kept' {
  const isNew = !isOnDisk(to);
  const mode = isOnDisk(file) ? statSync(file).mode & 0o777 : 0o600;
  if (!transcript) {
    if (!isNew) return digestOf(file).sha256 === digestOf(to).sha256 ? 'there' : 'kept';
    copyFile(file, to, { mode });
    return 'made';
  }
  const moved = draft(readSessionOf(file).entries);
  const relation = isNew ? undefined : relationTo(moved, to);
  if (relation === 'apart') return 'kept';
  if (isThere(relation)) return 'there';
  writeFileAtomic(to, inChunks(encodeDraft(moved)), {
    mode,
    exclusive: isNew,
    onReady: (temp) => {
      if (!isNew) saveBackup(context, { verb, changes: [{ path: to, after: temp }] });
    },
  });
  return isNew ? 'made' : 'there';
}

/** All of ours is at its place already. */
export function isThere(relation: Relation | undefined): boolean {
  return relation === 'same' || relation === 'behind';
}

/** How ours stands to what is there already. */
export function relationTo(draft: Draft, target: string): Relation {
  return readLinesOf(target, {}, (_, lines) =>
    relationOf(
      encodeDraft(draft),
      (function* () {
        for (const { bytes } of lines) yield Buffer.concat([bytes, Buffer.of(10)]);
      })(),
    ),
  );
}
