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

/** A command whose arguments are all of a folder's transcripts, of which there may be too many for one line. */
export function overTranscripts(command: string, root: string): string {
  return `find ${root} -name '*.jsonl' -print0 | xargs -0 -n 100000 ${command}`;
}

export function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** One session of so many megabytes: generated sessions chained into one conversation, each with ids of its own. */
export function singleFile(megabytes: number): string {
  const file = join(CACHE, `single-${megabytes}`, 'projects', '-bench', '99999999-9999-4999-8999-999999999999.jsonl');
  if (existsSync(file)) return file;
  mkdirSync(join(file, '..'), { recursive: true });
  const sources = transcripts(corpus(Math.min(megabytes, 200))).filter((name) => !name.includes('agent-'));
  const out = openSync(`${file}.part`, 'w');
  let written = 0;
  let last = '';
  for (let part = 0; written < megabytes * 1e6; part += 1) {
    const source = sources[part % sources.length] ?? '';
    const text = continued(readFileSync(source, 'utf8'), part, last);
    last = lastUuid(text) ?? last;
    written += writeSync(out, text.endsWith('\n') ? text : `${text}\n`);
  }
  closeSync(out);
  renameSync(`${file}.part`, file);
  return file;
}

/** The same conversation with ids of its own, going on from another's end. */
function continued(text: string, part: number, last: string): string {
  const tag = part.toString(16).padStart(4, '0');
  const own = text
    .replace(/"([0-9a-f]{8})-[0-9a-f]{4}-4/g, `"$1-${tag}-4`)
    .replace(/(msg|toolu|req)_01(\w{4})/g, `$1_01$2${tag}`);
  return last === '' ? own : own.replace('"parentUuid":null', `"parentUuid":"${last}"`);
}

function lastUuid(text: string): string | undefined {
  const lines = text.trimEnd().split('\n').slice(-40).reverse();
  return lines.flatMap((line) => /"uuid":"([^"]+)","timestamp":"[^"]+"[^{]*}$/.exec(line)?.[1] ?? [])[0];
}
