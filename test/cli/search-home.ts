import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asArray, asString, at } from '../../src/format/json.ts';
import { assistant, result, text, toJsonl, toolUse, user, uuidOf } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { skein } from '../support/skein.ts';

export const SESSION = '11111111-1111-4111-8111-111111111111';
export const SECRET = ['ghp', '1234567890abcdefABCDEF1234567890abcd'].join('_');

export function home(): {
  root: string;
  run: (args: readonly string[], env?: Record<string, string>) => ReturnType<typeof skein>;
} {
  const own = tempFolder();
  const root = join(own, '.claude');
  const file = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  const more = { sessionId: SESSION, cwd: '/work/app', timestamp: '2026-01-02T10:00:00Z' };
  writeFileSync(
    file,
    toJsonl([
      { ...user('please mend the Login page 登录'), ...more, uuid: uuidOf(1) },
      { ...assistant([text(`the token is ${SECRET} for login`)]), ...more, uuid: uuidOf(2) },
      { ...assistant([toolUse('t', 'Bash', { command: 'ls' })]), ...more, uuid: uuidOf(3) },
      { ...result('t', 'login \u001b[31mred\u001b[0m failed', { isError: true }), ...more, uuid: uuidOf(4) },
    ]),
  );
  return { root, run: (args, env = {}) => skein(args, { home: own, env }) };
}

export const uuids = (json: ReturnType<ReturnType<typeof skein>['json']>) =>
  (asArray(at(json, 'hits')) ?? []).map((hit) => asString(at(hit, 'uuid')));
