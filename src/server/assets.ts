/** The files of the page. The table is made once from what was built: no name from a request reaches the file system. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

export interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** By the path they are asked for. Without a build there are none. */
export function assetsIn(folder: string): ReadonlyMap<string, Asset> {
  const table = new Map<string, Asset>();
  for (const name of namesIn(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const body = new Uint8Array(readFileSync(join(folder, name)));
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    table.set(name === 'index.html' ? '/' : `/${name}`, { type, etag, body });
  }
  return table;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((item) => (item.isFile() ? item.name : []));
  } catch {
    return [];
  }
}
