/** Corpora of scripts/gen-corpus.mjs, and what is true of them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asObject, at, type JsonObject, parseJson } from '../../src/format/json.ts';
import { tempFolder } from './files.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));

export interface CorpusSize {
  readonly mb: number;
  readonly files: number;
  readonly seed: number;
}

export interface GeneratedCorpus {
  /** A home folder. */
  readonly home: string;
  /** The config folder in it. */
  readonly root: string;
  /** As `skein usage --json` names them, each message once. */
  readonly totals: JsonObject;
}

export function generateCorpus({ mb, files, seed }: CorpusSize): GeneratedCorpus {
  const home = tempFolder();
  const size = ['--mb', String(mb), '--files', String(files), '--seed', String(seed)];
  execFileSync(process.execPath, [SCRIPT, '--out', home, ...size]);
  const truth = asObject(at(parseJson(readFileSync(join(home, 'truth.json'), 'utf8')), 'dedup')) ?? {};
  const totals = {
    messages: truth.rows,
    input: truth.input,
    output: truth.output,
    cacheCreation: truth.cacheCreate,
    cacheRead: truth.cacheRead,
  };
  return { home, root: join(home, '.claude'), totals };
}
