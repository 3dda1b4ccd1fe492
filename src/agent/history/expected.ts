/** What each tracked file held when the session last had to do with it: anything else was put there by someone else. */
import type { Entry } from '../../format/entry.ts';
import { jsonOf } from '../../format/entry.ts';
import { asString, at } from '../../format/json.ts';
import type { FileBackup } from '../../format/typed.ts';
import { pairToolCalls, toolResultOf } from '../../graph/toolcalls.ts';
import type { Hunk } from '../../graph/toolresults/files.ts';
import type { ToolCall } from '../../graph/types.ts';
import { placeOf, realPath } from './copies.ts';
import { type History, takeLine } from './plan.ts';

export type Expected =
  | { readonly kind: 'copy'; readonly backup: FileBackup }
  /** With plain line ends. */
  | { readonly kind: 'text'; readonly text: string }
  /** A tool wrote it; what, was not recorded. */
  | { readonly kind: 'unknown' };

const WRITERS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

/** By the place of the file. `root` is where the session began. */
export async function expectedFiles(entries: readonly Entry[], root: string): Promise<Map<string, Expected>> {
  const expected = new Map<string, Expected>();
  const history: History = { snapshots: new Map(), newest: new Map() };
  const written = new Map<Entry, ToolCall>();
  for (const call of pairToolCalls(entries).calls) {
    if (WRITERS.has(call.name) && call.result !== undefined) written.set(call.result, call);
  }
  for (const entry of entries) {
    const call = written.get(entry);
    const wrote = call === undefined ? undefined : await writtenBy(call);
    if (wrote !== undefined) {
      expected.set(wrote.place, wrote.now);
      // Written through a link, perhaps: copies are tracked by where the file really is.
      expected.set(realPath(wrote.place), wrote.now);
    }
    if (entry.kind !== 'file-history-snapshot' && entry.kind !== 'file-history-delta') continue;
    for (const backup of takeLine(history, entry.kind, jsonOf(entry) ?? {})) {
      expected.set(placeOf(root, backup), { kind: 'copy', backup });
    }
  }
  return expected;
}

async function writtenBy(call: ToolCall): Promise<{ place: string; now: Expected } | undefined> {
  const result = toolResultOf(call);
  switch (result.kind) {
    case 'write':
      return writtenAt(result.filePath, result.content);
    case 'edit':
      return writtenAt(result.filePath, await patched(result.originalFile, result.patch));
    case 'notebook_edit':
      if (result.notebookPath === undefined || result.error) return undefined;
      return writtenAt(result.notebookPath, asString(at(result.raw, 'updated_file')));
    default:
      return undefined;
  }
}

function writtenAt(place: string, text: string | undefined): { place: string; now: Expected } {
  return { place, now: text === undefined ? { kind: 'unknown' } : { kind: 'text', text } };
}

async function patched(text: string | undefined, patch: readonly Hunk[]): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const { applyPatch } = await import('diff');
  const hunks = patch.map((hunk) => ({ ...hunk, lines: [...hunk.lines] }));
  const names = { oldFileName: 'a', newFileName: 'b', oldHeader: undefined, newHeader: undefined, index: undefined };
  const made = applyPatch(text, { ...names, hunks });
  return made === false ? undefined : made;
}
