/** A hook that pushes to a team: how it went stands in its log, and doctor says what is in the way. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asArray, at, parseJson } from '../../src/format/json.ts';
import { type HookHome, hookVerb, makeHome, QUIET, runHook, writeTurns } from '../client/hook/world.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { countsBy } from '../support/team.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const ARGS = ['--archive', '--team', 'ours', '--wait', '0'];

let engine: ClickHouse;
beforeAll(async () => {
  engine = await startClickHouse();
  await engine.addUser('kim', ['skein_pusher'], 'pw-of-kim');
});
afterAll(() => engine.stop());

/** A home whose hook pushes to this server. */
async function installed(url: string): Promise<HookHome> {
  const world = makeHome();
  profile(world, url);
  // The word that something may be sent, wherever that is.
  writeFileSync(join(world.skein, 'team-policy.json'), '{"content":"masked"}');
  writeTurns(world.fileOf(A), 1);
  const env = { HOME: world.home, SKEIN_HOME: world.skein };
  expect(await hookVerb(['install', '--team', 'ours'], env, world.home)).toMatchObject({ code: 0 });
  return world;
}

function profile({ skein }: HookHome, url: string): void {
  mkdirSync(skein, { recursive: true });
  writeFileSync(join(skein, 'team.json'), JSON.stringify({ profiles: { ours: { url } } }));
}

/** What the push of a run says in the log. */
async function pushOf(world: HookHome): Promise<string> {
  const pushes = () => world.log().filter(({ event }) => event === 'push');
  const before = pushes().length;
  expect(await runHook(world, { session: A, args: ARGS })).toEqual(QUIET);
  await expect.poll(() => pushes().length, { timeout: 30_000 }).toBe(before + 1);
  const { level = '', what = '' } = pushes().at(-1) ?? {};
  return `${level}: ${what}`;
}

async function doctor(world: HookHome) {
  const { code, out } = await hookVerb(['doctor', '--json'], { HOME: world.home, SKEIN_HOME: world.skein }, world.home);
  const checks = asArray(at(parseJson(out), 'checks')) ?? [];
  const found = checks.map((check) => `${at(check, 'about')} ${at(check, 'state')}: ${at(check, 'what')}`);
  return { code, text: found.join('\n'), out };
}

test('a server that is away is told in the log and by doctor, and what waited goes when it is back', async () => {
  const world = await installed('http://kim:pw-of-kim@127.0.0.1:9');
  const away = await pushOf(world);
  expect(away).toMatch(
    /^error: not pushed: .*nobody answers there \(ours\); 1 session waits for the next push; next: /,
  );
  const found = await doctor(world);
  expect(found.code).toBe(1);
  expect(found.text).toMatch(/^team bad: .*nobody answers there \(ours\)$/m);
  expect(found.text).toMatch(/^runs bad: last error .*nobody answers there/m);

  profile(world, engine.url('kim'));
  expect(await pushOf(world)).toBe('info: done');
  expect(await countsBy(engine, 'kim')).toMatchObject({ files: 1, entries: 4 });
  const fine = await doctor(world);
  expect(fine.text).toMatch(/^team ok: ours answers and has the team’s tables$/m);
  expect(fine.text).toMatch(/^runs warning: last error/m);
  expect(fine.code).toBe(0);
}, 120_000);

test('a wrong password, a database that is not there and a policy that cannot be read are told, the password never', async () => {
  const url = engine.url('kim');
  const world = await installed(url.replace('pw-of-kim', 'geheim-geheim'));
  const told = [await pushOf(world), (await doctor(world)).text];
  for (const text of told) expect(text).toContain('the login or its password is wrong');

  profile(world, url.replace(/skein$/, 'elsewhere'));
  const none = [await pushOf(world), (await doctor(world)).out];
  for (const text of none) expect(text).toContain('skein team init');

  profile(world, url);
  writeFileSync(join(world.skein, 'team-policy.json'), '{');
  const policy = [await pushOf(world), (await doctor(world)).text];
  for (const text of policy) expect(text).toContain('team-policy.json');
  expect(policy[0]).toMatch(/^error: not pushed: .*; next: /);

  writeFileSync(join(world.skein, 'team.json'), '{}');
  const unknown = [await pushOf(world), (await doctor(world)).text];
  for (const text of unknown) expect(text).toContain('There is no team "ours"');
  const all = [...told, ...none, ...policy, ...unknown, JSON.stringify(world.log())].join('\n');
  expect(all).not.toMatch(/geheim-geheim|pw-of-kim/);
}, 120_000);
