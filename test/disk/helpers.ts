/** Small transcripts and trees of them, for the tests of this folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function line(uuid: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ type: 'user', uuid, message: { role: 'user', content: `text of ${uuid}` }, ...more });
}

export function lines(...uuids: string[]): string {
  return uuids.map((uuid) => `${line(uuid)}\n`).join('');
}

/** Writes files given as path → text below a folder. */
export function plant(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export function child(name: string): string {
  return fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url));
}

/** An error as the system throws it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made by a test`), { code });
}
