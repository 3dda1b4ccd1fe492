/** A folder to work in, with links that lead out of it, and decisions made there. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide } from '../../../src/agent/permissions/decide.ts';
import { realPlace } from '../../../src/agent/permissions/resolve.ts';
import { parseRule } from '../../../src/agent/permissions/rules.ts';
import { loadShellParser } from '../../../src/agent/permissions/shell/parser.ts';
import type { Call, Policy, Rule, Verdict, World } from '../../../src/agent/permissions/types.ts';
import type { Tool } from '../../../src/agent/tools/tool.ts';
import { asString } from '../../../src/format/json.ts';
import { tempFolder } from '../../support/files.ts';
import type { Row, RuleSet } from './sets.table.ts';

export const parser = await loadShellParser();

export function makeFolder(): { readonly around: string; readonly world: World } {
  const around = realpathSync(tempFolder());
  for (const name of ['ws/src', 'ws/.git/hooks', 'ws/secrets', 'ws/docs', 'out', 'more', 'home/.ssh']) {
    mkdirSync(join(around, name), { recursive: true });
  }
  for (const name of ['ws/a.txt', 'ws/src/a.ts', 'ws/.env', 'ws/secrets/key', 'ws/package.json', 'out/o.txt']) {
    writeFileSync(join(around, name), 'x\n');
  }
  const links = {
    link: 'out',
    'src/evil': 'out/o.txt',
    'src/out': 'out',
    gitlink: 'ws/.git',
    envlink: 'ws/.env',
    inlink: 'ws/a.txt',
    dangling: 'out/none',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(join(around, target), join(around, 'ws', name));
  symlinkSync('loop', join(around, 'ws', 'loop'));
  const root = join(around, 'ws');
  const world = {
    cwd: root,
    root,
    home: join(around, 'home'),
    folders: [root, join(around, 'more')],
    resolve: (path: string) => realPlace(path),
  };
  return { around, world };
}

const ACTS: Readonly<Record<string, Tool['acts']>> = {
  Read: 'reads',
  Grep: 'reads',
  Glob: 'reads',
  BashOutput: 'reads',
  TodoWrite: 'notes',
  Write: 'writes',
  Edit: 'writes',
  MultiEdit: 'writes',
  NotebookEdit: 'writes',
  WebFetch: 'fetches',
};
const FILES = /^(?:Read|Grep|Glob|Write|Edit|MultiEdit|NotebookEdit)$/;

export function callOf(name: string, told: Row[2], around = ''): Call {
  const isFile = FILES.test(name);
  const key = name === 'Bash' ? 'command' : name === 'WebFetch' ? 'url' : 'file_path';
  const input = typeof told === 'string' ? { [key]: told.replaceAll('@/', `${around}/`).replace(/@$/, around) } : told;
  return {
    tool: { name, acts: ACTS[name] ?? 'runs', ...(isFile && { path: (given) => asString(given.file_path) }) },
    input,
  };
}

export function rulesOf({ allow = [], ask = [], deny = [] }: RuleSet, root = '/'): Rule[] {
  const source = { name: 'projectSettings', root };
  return [
    ...allow.map((text) => parseRule(text, 'allow', source)),
    ...ask.map((text) => parseRule(text, 'ask', source)),
    ...deny.map((text) => parseRule(text, 'deny', source)),
  ];
}

export function policyOf(set: RuleSet, world: World): Policy {
  return { mode: set.mode ?? 'default', rules: rulesOf(set, world.root), world };
}

export function decideIn(set: RuleSet, world: World, call: Call): Verdict {
  return decide(call, policyOf(set, world), parser);
}
