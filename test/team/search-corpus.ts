/** Four small sessions with what a search may meet, and questions about them. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/format/json.ts';
import {
  agentProgress,
  assistant,
  chain,
  queueOperation,
  result,
  system,
  text,
  thinking,
  toJsonl,
  toolUse,
  user,
} from '../support/build.ts';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const C = '33333333-3333-4333-8333-333333333333';
const D = '44444444-4444-4444-8444-444444444444';

function write(root: string, slug: string, name: string, lines: string, day: number): void {
  const path = join(root, 'projects', slug, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, lines);
  utimesSync(path, new Date(Date.UTC(2026, 0, day)), new Date(Date.UTC(2026, 0, day)));
}

const uuid = (number: number) => `0000000${number.toString(16)}-0000-4000-8000-00000000000${number.toString(16)}`;
/** Each session on a day of its own. */
const on = (day: number, entries: readonly JsonObject[]) =>
  entries.map(
    (entry, place): JsonObject => ({
      timestamp: new Date(Date.UTC(2026, 0, day, 10, 0, place)).toISOString(),
      ...entry,
    }),
  );
const lines = (...entries: JsonObject[]) => entries.map((entry, place) => ({ uuid: uuid(place + 1), ...entry }));

export function writeCorpus(root: string): void {
  const first = chain(
    on(
      2,
      lines(
        user('Please mend the LOGIN redirect: the the the end, login again'),
        assistant([thinking('exponential backoff with jitter'), text('Café naïve résumé — exponential backoff')]),
        assistant([toolUse('t1', 'Bash', { command: 'docker compose up', file_path: '/srv/App/Compose.yml' })]),
        result('t1', 'Error: docker daemon "not" running', { isError: true }),
        assistant([toolUse('t2', 'Read', { file_path: '/srv/app/täst.ts' })]),
        result('t2', 'const loginUrl = "a\\\\b"; // TODO(anna) fix'),
        assistant('登录页面已经修好了。请看 中、文 和 中文 🚀 done'),
        user('哈哈哈 a a a b a b a b auth authentication author'),
        system('informational', { content: 'note about login' }),
        { type: 'summary', summary: 'Login mended', leafUuid: uuid(1), uuid: undefined },
      ),
    ),
    { sessionId: A, cwd: '/work/shop', gitBranch: 'main' },
  );
  write(root, '-work-shop', `${A}.jsonl`, toJsonl(first), 2);
  // Resumed: the same entries, and more.
  const second = first.slice(0, 8).map((line): JsonObject => ({ ...line, sessionId: B }));
  const more = chain(
    on(3, [
      user('one more login please', { uuid: 'u-more' }),
      // Typed while the model was busy: one prompt stands only in the queue, the other is handed over (E9).
      queueOperation('enqueue', 'and mind the numbat'),
      queueOperation('remove'),
      queueOperation('enqueue', 'then the bilby'),
      queueOperation('dequeue'),
      user('then the bilby', { uuid: 'u-bilby' }),
      assistant('fine', {}, { uuid: 'u-fine' }),
    ]),
    {
      sessionId: B,
      cwd: '/work/shop',
      gitBranch: 'feature/x',
    },
  );
  write(root, '-work-shop', `${B}.jsonl`, toJsonl([...second, ...more]), 3);
  const agent = chain(
    on(4, [
      user('agent: look for login', { uuid: 'u-a1' }),
      assistant('login found by the agent', {}, { uuid: 'u-a2' }),
    ]),
    {
      sessionId: C,
      agentId: 'a77',
      isSidechain: true,
    },
  );
  write(root, '-work-api', `${C}/subagents/agent-a77.jsonl`, toJsonl(agent), 4);
  const third = chain(
    on(5, [user("quotes ' and \\ and {p0: String} login", { uuid: 'u-c1' }), agentProgress(agent[1] ?? {}, 'a77')]),
    { sessionId: C, cwd: '/work/api' },
  );
  write(
    root,
    '-work-api',
    `${C}.jsonl`,
    `${toJsonl(third)}{"type":"user","mess broken login\n{"type":"user","mess unended`,
    4,
  );
  const escaped = toJsonl(
    chain(on(6, [user('spelled café 登录 login', { uuid: 'u-e' })]), { sessionId: D, cwd: '/work/api' }),
  );
  const spelled = escaped.replace(
    /[^\u0000-\u007f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  write(root, '-work-api', `${D}.jsonl`, spelled, 5);
}

/** Words, phrases, beginnings, filters. */
export const WORDS = [
  'login',
  'LOGIN redirect',
  'numbat in:prompt role:user',
  'bilby',
  '"exponential backoff"',
  '"backoff exponential"',
  'auth*',
  '"a au*"',
  '"a b" -docker',
  '-login',
  'login -"login again" -auth*',
  'cafe',
  'CAFÉ',
  '登录',
  '中文',
  '文',
  '页面已经',
  '🚀',
  '哈哈',
  'zzznothing',
  '"the the"',
  'a*',
  'project:shop login',
  'project:/work/api login',
  '-project:shop login',
  `session:${A.slice(0, 8)} login`,
  `-session:${A.slice(0, 8)} login`,
  'session:a77',
  'role:assistant',
  '-role:user login',
  'tool:Bash',
  'tool:ba* is:error',
  '-tool:Bash docker',
  'file:app/',
  'file:TÄST',
  '-file:compose login',
  'model:test login',
  '-model:test login',
  'git-branch:feature/*',
  'in:thinking backoff',
  'in:tool login',
  '-in:prompt login',
  'is:error',
  '-is:error docker',
  'after:2026-01-02T10:00:03Z',
  'after:2026-01-02T10:00:01Z before:2026-01-02T10:00:02Z',
  'before:2020-01-01 login',
  "' OR 1=1 --",
  'file:"\' OR 1=1 --"',
  'session:"\\\' OR"',
  '{p0:String}',
  'is:error tool:Bash file:compose git-branch:main project:shop docker',
];

/** Parts of texts and regular expressions. */
export const PARTS = [
  '~ogi',
  '~"in red"',
  '~登',
  '~"修好了。"',
  '~"—"',
  '~"\\"',
  '~é',
  '~n login',
  '-~login docker',
  '/TODO\\(\\w+\\)/',
  '/log(in|out)/i',
  '/^fine$/',
  '/LOGIN/',
  '/login/i -/agent/',
  'role:assistant /[中文]+/',
  'project:shop ~docker',
  'is:error ~DAEMON',
];
