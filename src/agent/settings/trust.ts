/** Whether the person said in the client that a folder may be worked in: what a stranger's project says then counts. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asObject, parseJson } from '../../format/json.ts';

export interface TrustPlace {
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
}

/** A folder is trusted with those above it. */
export function isTrusted({ cwd, home, config }: TrustPlace): boolean {
  const projects = asObject(asObject(readState(stateFile(home, config)))?.projects);
  if (projects === undefined) return false;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const project = Object.hasOwn(projects, folder) ? asObject(projects[folder]) : undefined;
    if (project?.hasTrustDialogAccepted === true) return true;
    if (dirname(folder) === folder) return false;
  }
}

/** Beside the config folder of the home, or in one that was named. */
export function stateFile(home: string, config: string): string {
  return config === join(home, '.claude') ? join(home, '.claude.json') : join(config, '.claude.json');
}

function readState(file: string) {
  try {
    return parseJson(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
