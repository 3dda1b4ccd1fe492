/** Whatever happened to sessions, policies and pushes before: after the last push the server holds what a first push would send. */
import { existsSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { openTeam, type Team } from '../../src/team/connect.ts';
import { TeamError } from '../../src/team/errors.ts';
import { resolveTarget } from '../../src/team/target.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { machine, newLogin, rowsBy } from '../support/team.ts';
import { prompt, turns, uuidOf } from '../support/teamsession.ts';

const CWD = '/srv/work/app';
const FOLDERS = [CWD, '/srv/work/two'];
const IDS = ['11111111-1111-4111-8111-111111111111', '22222222-1111-4111-8111-111111111111'];
const POLICIES: JsonObject[] = [
  { content: 'full' },
  { content: 'masked' },
  { content: 'none' },
  { content: 'full', retention: { default: 'long' } },
  { content: 'full', projects: { deny: ['/srv/private'] } },
  { content: 'masked', projects: { deny: [CWD] } },
  { content: 'none', projects: { names: 'path' } },
];

let engine: ClickHouse;
beforeAll(async () => {
  engine = await startClickHouse({ record: false });
});
afterAll(() => engine?.stop());

type Line = JsonObject | string;
interface Session {
  readonly id: string;
  folder: number;
  readonly lines: Line[];
  readonly agent: Line[];
  output: string;
}

let next = 1000;
const fresh = () => {
  next += 1;
  return next;
};

/** What can happen to the lines of a file. */
const EDITS: Record<string, (lines: Line[], at: number, session: Session) => void> = {
  append: (lines, _, { id }) => {
    lines.push(...turns(id, CWD, 1, fresh()));
    next += 10;
  },
  edit: (lines, at, { id }) => {
    lines[at] = prompt({ id, cwd: CWD, n: fresh(), text: `edited ${next}` });
  },
  remove: (lines, at) => void lines.splice(at, 1),
  cut: (lines, at) => void lines.splice(at),
  repeat: (lines, at) => void lines.push(lines[at] ?? ''),
  blank: (lines, at) => void lines.splice(at, 0, ''),
  broken: (lines, at) => void lines.splice(at, 0, '{"type":"user","broken'),
  renamed: (lines, at) => change(lines, at, { uuid: uuidOf(fresh()) }),
  timeless: (lines, at) => change(lines, at, { timestamp: undefined }),
  later: (lines, at) => change(lines, at, { timestamp: `2026-0${(at % 9) + 1}-05T01:01:01.000Z` }),
  elsewhere: (lines, at) => change(lines, at, { cwd: '/srv/private' }),
  titled: (lines, _, { id }) =>
    void lines.push({ type: 'custom-title', customTitle: `title ${fresh()}`, sessionId: id }),
};

function change(lines: Line[], at: number, more: JsonObject): void {
  const line = lines[at];
  if (typeof line === 'object') lines[at] = { ...line, ...more };
}

const edit = fc.record({
  kind: fc.constantFrom(...Object.keys(EDITS), 'moved', 'output'),
  session: fc.nat(1),
  inAgent: fc.boolean(),
  at: fc.nat(40),
});
const step = fc.record({
  edits: fc.array(edit, { maxLength: 3 }),
  policy: fc.option(fc.nat(POLICIES.length - 1), { freq: 2 }),
  push: fc.record({
    /** Which insert fails, and whether the server took it all the same. */
    failsAt: fc.option(fc.nat(7), { freq: 1 }),
    wasTaken: fc.boolean(),
    only: fc.option(fc.nat(1), { freq: 1 }),
    again: fc.boolean(),
  }),
});

function failing(team: Team, failsAt: number | null, wasTaken: boolean): Team {
  let inserts = 0;
  const away = () => new TeamError({ what: 'away', where: '', next: '', kind: 'other' });
  return {
    ...team,
    insert: async (...args) => {
      const fails = inserts === failsAt;
      inserts += 1;
      if (fails && !wasTaken) throw away();
      await team.insert(...args);
      if (fails) throw away();
    },
  };
}

let clock = Date.UTC(2026, 9, 1) / 1000;

function write(root: string, { id, folder, lines, agent, output }: Session): void {
  const [here, there] = [FOLDERS[folder] ?? '', FOLDERS[1 - folder] ?? ''].map((cwd) =>
    join(root, 'projects', projectSlug(cwd)),
  ) as [string, string];
  mkdirSync(here, { recursive: true });
  for (const name of [`${id}.jsonl`, id]) {
    if (existsSync(join(there, name))) renameSync(join(there, name), join(here, name));
  }
  const text = (some: readonly Line[]) =>
    some.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const files = {
    [`${id}.jsonl`]: text(lines),
    [`${id}/subagents/agent-a1.jsonl`]: text(agent),
    [`${id}/tool-results/out.txt`]: output,
  };
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(here, name)), { recursive: true });
    writeFileSync(join(here, name), bytes);
    clock += 10;
    utimesSync(join(here, name), clock, clock);
  }
}

function apply(session: Session, { kind, inAgent, at }: { kind: string; inAgent: boolean; at: number }): void {
  const lines = inAgent ? session.agent : session.lines;
  if (kind === 'moved') session.folder = 1 - session.folder;
  else if (kind === 'output') session.output = `output ${fresh()}`;
  else EDITS[kind]?.(lines, at % Math.max(1, lines.length), session);
}

test('a random history', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 12 }),
      fc.nat(POLICIES.length - 1),
      async (steps, last) => {
        const root = tempFolder();
        const sessions = IDS.map((id, place): Session => {
          const agent = turns(id, CWD, 1, 501 + place * 100, 'agent').map((line) => ({
            ...line,
            isSidechain: true,
            agentId: 'a1',
          }));
          return { id, folder: 0, lines: turns(id, CWD, 2, 1 + place * 200), agent, output: 'output' };
        });
        for (const session of sessions) write(root, session);
        const user = await newLogin(engine);
        const pusher = await machine(root);
        pusher.policy({ content: 'full' });
        const real = await openTeam(resolveTarget({ env: {}, home: pusher.home }, engine.url(user)));
        for (const { edits, policy, push } of steps) {
          for (const each of edits) {
            const session = sessions[each.session];
            if (session === undefined) continue;
            apply(session, each);
            write(root, session);
          }
          await pusher.sync();
          if (policy !== null) pusher.policy(POLICIES[policy]);
          const { only, again, failsAt, wasTaken } = push;
          const wanted = only === null ? {} : { isWanted: ({ id }: { id: string }) => id === IDS[only] };
          await pusher
            .push(engine, { login: user, team: failing(real, failsAt, wasTaken), again, ...wanted })
            .catch((error: unknown) => expect(String(error)).toContain('away'));
        }
        await real.close();
        pusher.policy(POLICIES[last]);
        await pusher.push(engine, { login: user });
        const [other, first] = [await newLogin(engine), await machine(root)];
        first.policy(POLICIES[last]);
        await first.push(engine, { login: other });
        expect(await told(user)).toEqual(await told(other));
        const { rows } = await pusher.push(engine, { login: user });
        expect(Object.values(rows).every((count) => count === 0)).toBe(true);
      },
    ),
    // Each run is seconds long: the first counterexample is enough.
    { numRuns: 12, endOnFailure: true },
  );
});

/** Without who sent it; at content none equal inputs are told by a key of the machine. */
async function told(user: string): Promise<Record<string, string[]>> {
  const rows = await rowsBy(engine, user);
  const strip = (row: string) => row.replace(`"owner":"${user}"`, '').replace(/"input_hash":"?\d+"?/, '');
  return Object.fromEntries(Object.entries(rows).map(([table, each]) => [table, each.map(strip).sort()]));
}
