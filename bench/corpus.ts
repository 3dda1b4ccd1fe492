/** Corpora the benches run on, generated once and kept under .cache/. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, '.cache', 'bench');

/** A config root of about so many megabytes. */
export function corpus(megabytes: number): string {
  const folder = join(CACHE, `corpus-${megabytes}`);
  if (!existsSync(join(folder, 'truth.json'))) {
    mkdirSync(CACHE, { recursive: true });
    const args = ['--out', folder, '--mb', String(megabytes), '--files', String(megabytes * 2)];
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'gen-corpus.mjs'), ...args], { stdio: 'ignore' });
  }
  return join(folder, '.claude');
}

export function transcripts(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(root, name))
    .sort();
}

export function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** One session of so many megabytes: generated sessions chained into one conversation, each with fresh ids. */
export function singleFile(megabytes: number): string {
  const file = join(CACHE, `single-${megabytes}`, 'projects', '-bench', '99999999-9999-4999-8999-999999999999.jsonl');
  if (existsSync(file)) return file;
  mkdirSync(join(file, '..'), { recursive: true });
  const sources = transcripts(corpus(Math.min(megabytes, 200))).filter((name) => !name.includes('agent-'));
  const out = openSync(`${file}.part`, 'w');
  let written = 0;
  for (let round = 0; written < megabytes * 1e6; round += 1) {
    for (const source of sources) {
      // Another round is another conversation: its ids differ, or every line would be a copy.
      const tag = String(round).padStart(4, '0');
      const text = readFileSync(source, 'utf8').replace(/"([0-9a-f]{8})-[0-9a-f]{4}-4/g, `"$1-${tag}-4`);
      written += writeSync(out, text.endsWith('\n') ? text : `${text}\n`);
      if (written >= megabytes * 1e6) break;
    }
  }
  closeSync(out);
  renameSync(`${file}.part`, file);
  return file;
}
