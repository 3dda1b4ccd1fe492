import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asObject, at, type JsonObject, parseJson } from '../../src/format/json.ts';
import { assistant, toJsonl } from '../support/build.ts';
import { BIN, rootWith, skein } from '../support/skein.ts';

const SESSION = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const OPUS = 'claude-opus-4-5-20251101';
const envelope = { cwd: '/work/app', gitBranch: 'main' };

describe('statusline', () => {
  const now = () => new Date().toISOString();
  const line = (id: string, output: number, at = now()) => ({
    ...assistant('x', { id, requestId: `r-${id}`, model: OPUS, output }),
    ...envelope,
    uuid: `u-${id}`,
    timestamp: at,
  });

  function run(root: string, input: string | undefined, ...more: string[]): string {
    const text = execFileSync(process.execPath, [BIN, 'usage', '--statusline', ...more], {
      env: { PATH: process.env.PATH, HOME: root, CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(root, 'skein'), TZ: 'UTC' },
      input: input ?? '',
      encoding: 'utf8',
    });
    return text;
  }

  test('cost of the session, today and the block; only what was added is read', () => {
    const root = rootWith(
      {
        [`${SESSION}.jsonl`]: toJsonl([line('m1', 40_000)]),
        [`${OTHER}.jsonl`]: toJsonl([line('m2', 40_000), line('m1', 40_000)]),
      },
      writeFileSync,
    );
    const file = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
    const asked = JSON.stringify({ transcript_path: file, model: { display_name: 'Opus\u001b[31m' } });
    const first = run(root, asked);
    expect(first).toMatch(
      /^Opus.* · \$1\.00 session · \$2\.00 today · \$2\.00 block, \dh \d+m left · 6 \(0%\) context\n$/,
    );
    expect(first).not.toContain('\u001b');
    appendFileSync(file, toJsonl([line('m3', 80_000)]));
    expect(run(root, asked)).toContain('$3.00 session · $4.00 today');
    const state = join(root, 'skein', 'statusline.json');
    expect(statSync(state).mode & 0o777).toBe(0o600);
    const kept = asObject(at(parseJson(readFileSync(state, 'utf8')), 'files', file));
    expect(kept?.at).toBe(statSync(file).size);
    writeFileSync(state, '{damaged');
    expect(run(root, asked)).toContain('$3.00 session · $4.00 today');
  });

  test('how full the context is: of the window that the client tells, and of none that it does not fit into', () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      cache_read_input_tokens: 249_999,
      cache_creation_input_tokens: 0,
    };
    const full = { ...line('m1', 1), message: { ...asObject(assistant('x').message), id: 'm1', model: OPUS, usage } };
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl([full]) }, writeFileSync);
    const transcript_path = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
    const told = { transcript_path, context_window: { context_window_size: 1_000_000, current_usage: null } };
    expect(run(root, JSON.stringify(told))).toMatch(/ · 250k \(25%\) context\n$/);
    expect(run(root, JSON.stringify({ transcript_path }))).toMatch(/ · 250k context\n$/);
    // Where it tells what is in the context, but of no window, that is no other question.
    const of = (input_tokens: number) =>
      run(root, JSON.stringify({ context_window: { current_usage: { input_tokens } } }));
    expect(of(50_000)).toMatch(/ · 50.0k \(25%\) context\n$/);
    expect(of(250_000)).toMatch(/ · 250k context\n$/);
  });

  test('days of the zone asked for; what would change nothing is told', () => {
    const [east, west] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
    const day = (zone: string) => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now());
    const midnight = Date.parse(`${day(east)}T00:00:00+14:00`);
    const root = rootWith(
      { [`${SESSION}.jsonl`]: toJsonl([line('m1', 40_000, new Date(midnight).toISOString())]) },
      writeFileSync,
    );
    expect(run(root, '{}', '--timezone', east)).toContain('$1.00 today');
    // There it is another day, before as after its own midnight.
    expect(day(west)).not.toBe(day(east));
    expect(run(root, '{}', '--timezone', west)).toContain(
      midnight >= Date.parse(`${day(west)}T00:00:00-11:00`) ? '$1.00 today' : '$0.00 today',
    );
    const forms = ['--explain', '--limit=3', '--skip=3', '--heatmap', '--plot', '--ascii', '--reveal'];
    for (const option of ['--json', '--by=day', '--prices=x', '--root=.', '--team=acme', ...forms])
      expect(run(root, '{}', option)).toBe(
        `skein: a status line ${option === '--team=acme' ? 'tells of this machine alone' : 'is made without it'}; leave ${option.split('=')[0]} out\n`,
      );
    expect(run(root, '{}', SESSION)).toBe(
      `skein: a status line tells of the session that the client names; leave "${SESSION}" out\n`,
    );
  });

  test('a session of which more was said than one call reads is marked, unless the client tells its cost', () => {
    const pad = 'x'.repeat(1 << 20);
    const said = (id: string) => ({ ...line(id, 40_000), pad });
    const lines = Array.from({ length: 26 }, (_, n) => said(`m${n}`));
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl(lines) }, writeFileSync);
    const transcript_path = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
    const told = { transcript_path, cost: { total_cost_usd: 26 } };
    expect(run(root, JSON.stringify({ transcript_path }))).toMatch(/^≥\$2[0-5]\.00 session · ≥\$2[0-5]\.00 today/);
    expect(run(root, JSON.stringify(told))).toMatch(/^\$26\.00 session · \$26\.00 today/);
    expect(run(root, JSON.stringify({ transcript_path }))).toMatch(/^\$26\.00 session · \$26\.00 today/);
  });

  test('a session that began before what is kept is marked, unless the client tells its cost', () => {
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const root = rootWith(
      { [`${SESSION}.jsonl`]: toJsonl([line('m1', 40_000, ago(80)), line('m2', 40_000)]) },
      writeFileSync,
    );
    const transcript_path = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
    const told = { transcript_path, cost: { total_cost_usd: 2 } };
    for (let call = 0; call < 2; call += 1)
      expect(run(root, JSON.stringify({ transcript_path }))).toMatch(/^≥\$1\.00 session · \$1\.00 today/);
    expect(run(root, JSON.stringify(told))).toMatch(/^\$2\.00 session · \$1\.00 today/);
  });

  test('the sub-agents of a session are part of what it cost, whatever copies of them stand in it', () => {
    const agent = (id: string, more: JsonObject): JsonObject => ({
      ...line(id, 40_000),
      isSidechain: true,
      ...more,
    });
    const within = agent('m2', { agentId: 'a1', sessionId: SESSION });
    const { timestamp, uuid, message, requestId } = within;
    const copy = { type: 'assistant', timestamp, uuid, requestId, message };
    const root = rootWith(
      {
        [`${SESSION}.jsonl`]: toJsonl([
          line('m1', 40_000),
          { type: 'progress', data: { type: 'agent_progress', agentId: 'a1', message: copy } },
        ]),
        'agent-b1.jsonl': toJsonl([agent('m3', { agentId: 'b1', sessionId: SESSION })]),
        'agent-b2.jsonl': toJsonl([agent('m4', { agentId: 'b2', sessionId: OTHER })]),
      },
      writeFileSync,
    );
    const folder = join(root, 'projects', '-work-app');
    mkdirSync(join(folder, SESSION, 'subagents'), { recursive: true });
    writeFileSync(join(folder, SESSION, 'subagents', 'agent-a1.jsonl'), toJsonl([within]));
    const transcript_path = join(folder, `${SESSION}.jsonl`);
    for (let call = 0; call < 2; call += 1)
      expect(run(root, JSON.stringify({ transcript_path }))).toMatch(/^\$3\.00 session · \$4\.00 today/);
  });

  test('a time zone that there is not is told, and so are two', () => {
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl([line('m1', 40_000)]) }, writeFileSync);
    expect(run(root, '{}', '--timezone', 'Mars/Base')).toBe('skein: There is no time zone "Mars/Base".\n');
    expect(run(root, '{}', '--utc', '--timezone', 'Asia/Tokyo')).toBe(
      'skein: --utc is a time zone already, and --timezone another.\n',
    );
  });

  test('what cannot be kept or read takes nothing else away', () => {
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl([line('m1', 40_000)]) }, writeFileSync);
    // No folder can be made where a file lies.
    writeFileSync(join(root, 'skein'), '');
    expect(run(root, '{}')).toContain('$1.00 today');
    expect(run(root, '{}')).toContain('$1.00 today');
    expect(run(root, JSON.stringify({ transcript_path: root }))).toContain('$1.00 today');
  });

  test('an adviser is counted too, and is not the context', () => {
    const counts = {
      input_tokens: 1,
      output_tokens: 40_000,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
    };
    const advice = { type: 'advisor_message', model: 'claude-opus-4-7', input_tokens: 200_000, output_tokens: 40_000 };
    const usage = { ...counts, iterations: [advice] };
    const advised = { ...line('m1', 0), ...assistant('x', { id: 'm1', model: OPUS, usage }) };
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl([advised, { ...advised, uuid: 'u-2' }]) }, writeFileSync);
    const transcript_path = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
    const shown = run(root, JSON.stringify({ transcript_path }));
    expect(shown).toContain('$3.00 session · $3.00 today · $3.00 block');
    expect(shown).toContain('· 6 (0%) context');
  });

  test('what has no price is marked as in the report', () => {
    const odd = (id: string) => ({
      ...assistant('x', { id, requestId: `r-${id}`, model: 'my-model', output: 40_000 }),
      ...envelope,
    });
    const lines = [{ ...odd('m1'), uuid: 'u-m1', timestamp: now() }];
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl(lines) }, writeFileSync);
    const file = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
    const asked = JSON.stringify({ transcript_path: file });
    expect(run(root, asked)).toMatch(/^\? session · \? today · \? block/);
    appendFileSync(file, toJsonl([line('m2', 40_000)]));
    expect(run(root, asked)).toMatch(/^\$1\.00\+\? session · \$1\.00\+\? today · \$1\.00\+\? block/);
    const told = JSON.stringify({ transcript_path: file, cost: { total_cost_usd: 2 } });
    expect(run(root, told)).toMatch(/^\$2\.00 session · \$1\.00\+\? today/);
  });

  test('lines without an id are one message by their request, with the copy that has one', () => {
    const named: JsonObject = line('m1', 40_000);
    const nameless = { ...named, message: { ...asObject(named.message), id: undefined } };
    const root = rootWith(
      {
        [`${SESSION}.jsonl`]: toJsonl([nameless, { ...nameless, uuid: 'u-other' }]),
        [`${OTHER}.jsonl`]: toJsonl([named]),
      },
      writeFileSync,
    );
    expect(run(root, '{}')).toContain('$1.00 today');
  });

  test('what the client tells comes first; without anything it prints something', () => {
    const root = rootWith({}, writeFileSync);
    const told = {
      model: { id: 'm' },
      cost: { total_cost_usd: 0.5 },
      context_window: { context_window_size: 1000, current_usage: { input_tokens: 100, cache_read_input_tokens: 150 } },
    };
    expect(run(root, JSON.stringify(told))).toBe('m · $0.50 session · $0.00 today · 250 (25%) context\n');
    expect(run(root, 'no json')).toBe('$0.00 today\n');
    writeFileSync(join(root, 'skein-is-a-file'), '');
    expect(skein(['usage', '--statusline'], { env: { SKEIN_HOME: join(root, 'skein-is-a-file', 'x') } }).code).toBe(0);
  });

  test('what the client tells wrongly is not shown', () => {
    const root = rootWith({}, writeFileSync);
    const told = (cost: string, tokens: string, size: string) =>
      run(
        root,
        `{"model":{"display_name":" ","id":""},"cost":{"total_cost_usd":${cost}},
          "context_window":{"context_window_size":${size},"current_usage":{"input_tokens":${tokens}}}}`,
      );
    expect(told('1e999', '1e999', '1000')).toBe('$0.00 today · 0 (0%) context\n');
    expect(told('-3', '-5', '-1')).toBe('$0.00 today · 0 (0%) context\n');
    expect(told('1e300', '10', '1e300')).toBe('$0.00 today · 10 (0%) context\n');
    expect(run(root, '{"model":{"display_name":"","id":"m"}}')).toBe('m · $0.00 today\n');
  });

  test('a message of the future is in no block that runs', () => {
    const lines = [line('m1', 40_000), line('m2', 40_000, '2099-01-01T00:00:00.000Z')];
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl(lines) }, writeFileSync);
    expect(run(root, '{}')).toMatch(/^\$1\.00 today · \$1\.00 block, \dh \d+m left\n$/);
  });

  test('a stdin that goes on and on is no JSON of a client: it is left, and what is counted is shown', async () => {
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl([line('m1', 40_000)]) }, writeFileSync);
    const child = spawn(process.execPath, [BIN, 'usage', '--statusline'], {
      env: { PATH: process.env.PATH, HOME: root, CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(root, 'skein') },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let given = 0;
    const part = Buffer.alloc(1 << 20, 'x');
    const give = () => {
      // More than a string can hold, if it is taken.
      while (given < 1 << 30 && child.stdin.write(part)) given += part.length;
    };
    child.stdin.on('drain', give).on('error', () => {});
    give();
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(0);
    expect(Buffer.concat(chunks).toString()).toContain('$1.00 today');
    expect(given).toBeLessThan(64 << 20);
  });

  test('a stdin that nobody closes is not waited for', async () => {
    const root = rootWith({}, writeFileSync);
    const child = spawn(process.execPath, [BIN, 'usage', '--statusline'], {
      env: { PATH: process.env.PATH, HOME: root, SKEIN_HOME: join(root, 'skein') },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(0);
    expect(Buffer.concat(chunks).toString()).toContain('today');
  });
});
