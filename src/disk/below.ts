/** Every transcript below a folder, whatever the layout: for looking into copies, backups and corpora. */
import { basename, dirname } from 'node:path';
import type { Problem } from './errors.ts';
import type { Found, SessionFile } from './find.ts';
import { listFolder, statItem } from './folder.ts';
import { folderFs } from './io.ts';

const MAX_DEPTH = 32;

/** All `.jsonl` files but the history of typed prompts (L4), in the order of their paths; links that lead in a circle end. */
export function findBelow(folder: string): Found {
  const files: SessionFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();

  function walk(path: string, depth: number): void {
    for (const item of listFolder(folderFs, path, (problem) => problems.push(problem))) {
      if (seen.has(item.real)) continue;
      seen.add(item.real);
      if (item.type === 'folder' && depth < MAX_DEPTH) walk(item.path, depth + 1);
      else if (item.type === 'file' && item.name.endsWith('.jsonl') && item.name !== 'history.jsonl') {
        add(item.path);
      }
    }
  }

  function add(file: string): void {
    const stat = statItem(folderFs, file, (problem) => problems.push(problem));
    if (stat === undefined) return;
    const sessionId = basename(file, '.jsonl');
    const agentId = /^agent-(.+)$/.exec(sessionId)?.[1];
    files.push({
      file,
      root: folder,
      slug: basename(dirname(file)),
      sessionId,
      kind: agentId === undefined ? 'session' : 'agent',
      ...(agentId !== undefined && { agentId }),
      bytes: stat.size,
      mtimeMs: stat.mtimeMs,
    });
  }

  walk(folder, 0);
  return { files, folders: [], problems };
}
