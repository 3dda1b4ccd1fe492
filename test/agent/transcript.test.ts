import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runTurn } from '../../src/agent/loop.ts';
import type { AnswerFields } from '../../src/agent/ports.ts';
import { createQueue } from '../../src/agent/queue.ts';
import { newSession, resumeSession, type Session } from '../../src/agent/session.ts';
import { DiskError } from '../../src/disk/errors.ts';
import { writeOnce } from '../../src/disk/io.ts';
import { asString, at } from '../../src/format/json.ts';
import { validate } from '../../src/graph/validate.ts';
import { bench, call, says, text } from './parts.ts';
import { contextOf, createWorld, linesOf, wrongIn } from './world.ts';

const TYPED = { source: 'typed', permissionMode: 'default' } as const;
const NEVER = new AbortController().signal;

function answer(id: string, index = 0): AnswerFields {
  return {
    id,
    model: 'claude-opus-5-5',
    requestId: `req_${id}`,
    index,
    stopReason: 'tool_use',
    usage: { output_tokens: 1 },
  };
}

function opened(more: Parameters<typeof createWorld>[0] = {}): Session {
  return newSession(createWorld(more).options);
}

describe('lines as the client writes them (E2, W5)', () => {
  test('the keys of each kind, in the order of the recordings', () => {
    const { transcript, close } = opened();
    transcript.prompt('Go', TYPED);
    const entry = transcript.block(call('Read', {}, 'toolu_1'), answer('msg_1'));
    const place = { toolUseId: 'toolu_1', entryUuid: asString(entry.uuid) ?? '' };
    transcript.result(place, { content: 'x', result: { type: 'text' } }, { decision: { decision: 'accept' } });
    transcript.attachment({ type: 'date', date: 'today' }, ['words']);
    transcript.endTurn({ durationMs: 5, costUSD: 0.1 });
    close();
    const rest = ['userType', 'entrypoint', 'cwd', 'sessionId', 'version', 'gitBranch', 'slug', 'client'];
    const start = ['parentUuid', 'isSidechain'];
    const keys = linesOf(transcript.file).map((line) => Object.keys(line));
    expect(keys.splice(0, 2)).toEqual([
      ['type', 'mode', 'sessionId'],
      ['type', 'permissionMode', 'sessionId'],
    ]);
    expect(keys).toEqual([
      [
        ...[...start, 'promptId', 'type', 'message', 'uuid', 'timestamp', 'permissionMode', 'origin', 'promptSource'],
        ...['turnOrigin', 'turnPosition', ...rest],
      ],
      [...start, 'message', 'apiBlockIndex', 'requestId', 'type', 'uuid', 'timestamp', ...rest],
      [
        ...[...start, 'promptId', 'type', 'message', 'uuid', 'timestamp', 'toolUseResult', 'sourceToolAssistantUUID'],
        ...['permissionDecision', ...rest],
      ],
      [...start, 'attachment', 'type', 'uuid', 'timestamp', 'rendered', 'renderedRole', ...rest],
      [...start, 'type', 'subtype', 'durationMs', 'messageCount', 'uuid', 'timestamp', 'isMeta', ...rest],
      ['type', 'lastPrompt', 'leafUuid', 'sessionId'],
      expect.arrayContaining(['type', 'sessionId', 'totalCostUSD', 'modelUsage']),
    ]);
    expect(linesOf(transcript.file)[2]).toMatchObject({
      version: '2.1.325',
      entrypoint: 'cli',
      client: { name: 'skein', version: '0.0.0-test' },
      turnPosition: { promptIndex: 1, turnIndex: 1 },
    });
  });

  test('the branch is read anew for each prompt, also in a worktree', () => {
    const world = createWorld();
    const session = newSession(world.options);
    session.transcript.prompt('no repository', TYPED);
    mkdirSync(join(world.cwd, '.git'));
    writeFileSync(join(world.cwd, '.git', 'HEAD'), 'ref: refs/heads/feature/x\n');
    session.transcript.prompt('a branch', TYPED);
    writeFileSync(join(world.cwd, '.git', 'HEAD'), '0123456789abcdef\n');
    session.transcript.prompt('a commit', TYPED);
    const tree = join(world.cwd, 'tree');
    mkdirSync(tree);
    mkdirSync(join(world.config, 'wt'));
    writeFileSync(join(tree, '.git'), `gitdir: ${join(world.config, 'wt')}\n`);
    writeFileSync(join(world.config, 'wt', 'HEAD'), 'ref: refs/heads/other\n');
    const other = newSession({ ...world.options, cwd: tree });
    other.transcript.prompt('a worktree', TYPED);
    const branches = linesOf(session.transcript.file).flatMap(({ gitBranch }) => gitBranch ?? []);
    expect(branches).toEqual(['HEAD', 'feature/x', 'HEAD']);
    expect(linesOf(other.transcript.file).at(-1)?.gitBranch).toBe('other');
    for (const each of [session, other]) each.close();
  });

  test('a repository that cannot be looked at is none', () => {
    const world = createWorld();
    symlinkSync('.git', join(world.cwd, '.git'));
    const session = newSession(world.options);
    session.transcript.prompt('Go', TYPED);
    expect(linesOf(session.transcript.file).at(-1)?.gitBranch).toBe('HEAD');
    session.close();
  });

  test('no two lines have the same time, whatever the clock says', () => {
    const times = [5000, 4000, 4000, 9000];
    const { transcript, close } = opened({ now: () => times.shift() ?? 9000 });
    for (const words of ['a', 'b', 'c']) transcript.prompt(words, { ...TYPED, source: 'sdk' });
    const written = linesOf(transcript.file).map(({ timestamp }) => asString(timestamp) ?? '');
    expect([...written].sort()).toEqual(written);
    expect(new Set(written).size).toBe(3);
    close();
  });

  test('W5: progress is throttled, capped, hangs on its call and is nobody’s parent', () => {
    let now = 1_000_000;
    const { transcript, close } = opened({ now: () => now });
    transcript.prompt('Go', TYPED);
    const entry = transcript.block(call('Bash', {}, 'toolu_1'), answer('msg_1'));
    const place = { toolUseId: 'toolu_1', entryUuid: asString(entry.uuid) ?? '' };
    for (let i = 0; i < 1000; i += 1) {
      now += 250;
      transcript.progress(place, { type: 'bash_progress', output: 'x'.repeat(100_000) });
    }
    transcript.result(place, { content: '', result: {} });
    const lines = linesOf(transcript.file);
    const progress = lines.filter(({ type }) => type === 'progress');
    expect(progress).toHaveLength(60);
    expect(progress.every(({ parentUuid }) => parentUuid === entry.uuid)).toBe(true);
    expect(readFileSync(transcript.file).length).toBeLessThan(60 * 6000);
    const uuids = new Set(progress.map(({ uuid }) => uuid));
    expect(lines.some(({ parentUuid }) => uuids.has(parentUuid))).toBe(false);
    expect(wrongIn(transcript.file)).toEqual([]);
    close();
  });

  test('cost-state adds up over turns and over a resume', () => {
    const world = createWorld();
    const session = newSession(world.options);
    const spent = { durationMs: 5, apiMs: 3, costUSD: 0.25, usage: { m: { input_tokens: 2, output_tokens: 1 } } };
    session.transcript.prompt('Go', TYPED);
    session.transcript.endTurn(spent);
    session.close();
    const again = resumeSession(world.options, session.transcript.file);
    again.transcript.prompt('Go on', TYPED);
    again.transcript.endTurn(spent);
    again.close();
    const states = linesOf(again.transcript.file).filter(({ type }) => type === 'cost-state');
    expect(states.at(-1)).toMatchObject({
      totalCostUSD: 0.5,
      totalAPIDuration: 6,
      modelUsage: { m: { inputTokens: 4, outputTokens: 2 } },
    });
  });

  test('E9: the queue tells of each message when it comes and when it goes', () => {
    const { transcript, close } = opened();
    transcript.prompt('Go', TYPED);
    const queue = createQueue(transcript);
    queue.add('one');
    queue.add([text('two')]);
    expect(queue.next()).toMatchObject({ content: 'one' });
    expect(queue.take()).toMatchObject([{ content: [text('two')] }]);
    expect(queue.size).toBe(0);
    const lines = linesOf(transcript.file).filter(({ type }) => type === 'queue-operation');
    expect(lines.map(({ operation, content }) => [operation, content])).toEqual([
      ['enqueue', 'one'],
      ['enqueue', 'two'],
      ['dequeue', undefined],
    ]);
    close();
  });

  test('R2: after a turn the pin is the last entry of the chain', () => {
    const { transcript, close } = opened();
    transcript.prompt('Go', TYPED);
    transcript.block(text('Done'), answer('msg_1'));
    transcript.endTurn({ durationMs: 1 });
    const pin = linesOf(transcript.file).find(({ type }) => type === 'last-prompt');
    expect(pin?.leafUuid).toBe(transcript.leaf);
    expect(pin?.lastPrompt).toBe('Go');
    close();
  });
});

describe('work', () => {
  test('what is looked at for a request does not grow, in one long turn and over many', () => {
    const { transcript, close } = opened();
    let most = 0;
    for (let turn = 0; turn < 30; turn += 1) {
      transcript.prompt(`Prompt ${turn}`, { ...TYPED, source: 'sdk' });
      for (let round = 0; round < 10; round += 1) {
        transcript.messages('claude-opus-5-5');
        most = Math.max(most, transcript.unsettled);
        const [a, b] = [0, 1].map((index) => transcript.block(call('Read'), answer(`msg_${turn}_${round}`, index)));
        for (const entry of [b, a]) {
          const toolUseId = asString(at(entry, 'message', 'content') ? idIn(entry) : '') ?? '';
          transcript.result({ toolUseId, entryUuid: asString(entry?.uuid) ?? '' }, { content: 'x', result: {} });
        }
      }
      transcript.messages('claude-opus-5-5');
      transcript.block(text('Done.'), answer(`msg_${turn}`));
      transcript.endTurn({ durationMs: 1 });
    }
    const first = transcript.messages();
    expect(most).toBeLessThan(12);
    expect(first).toEqual(contextOf(transcript.file).messages);
    transcript.prompt('More', { ...TYPED, source: 'sdk' });
    const second = transcript.messages();
    expect(second.slice(0, -3).every((message, i) => message === first[i])).toBe(true);
    close();
  });
});

function idIn(entry: Parameters<typeof at>[0]): string {
  const content = at(entry, 'message', 'content');
  return asString(at(Array.isArray(content) ? content[0] : undefined, 'id')) ?? '';
}

describe('a disk that fails', () => {
  test('while something is typed: it is kept', () => {
    const line = () => {
      throw new DiskError({ what: 'the disk is full', where: 'x', next: '' });
    };
    const queue = createQueue({ line });
    queue.add('typed');
    expect(queue.next()?.content).toBe('typed');
  });

  const script = [
    says(
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      call('Echo', { text: 'a' }),
      call('Echo', { text: 'b' }),
    ),
    says('Done.'),
  ];

  test.each(['nothing', 'half'])(
    'at every write, with %s of it done: the turn fails, the file stays whole',
    async (how) => {
      for (let at = 1; at < 12; at += 1) {
        let writes = 0;
        const write = (fd: number, bytes: Uint8Array): number => {
          writes += 1;
          if (writes < at) return writeOnce(fd, bytes);
          if (how === 'half' && writes === at) return writeOnce(fd, bytes.subarray(0, bytes.length >> 1));
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        };
        const world = createWorld({ write });
        const session = newSession(world.options);
        const it = bench(script, {}, { world, session });
        const end = await runTurn(it.parts, { content: 'Go', source: 'sdk' }, NEVER);
        session.close();
        if (end.reason === 'end_turn') return expect(at).toBeGreaterThan(7);
        expect(end).toMatchObject({ reason: 'failed', failure: { type: 'disk_error' } });
        expect(end.failure?.message).toMatch(/space/);
        if (at === 1) continue;
        expect(wrongIn(session.transcript.file, ['error'])).toEqual([]);
        expect(validate(contextOf(session.transcript.file, { prompt: 'Next' }).messages)).toEqual([]);
        // It can be gone on with once there is room.
        const again = resumeSession({ ...world.options, write: writeOnce }, session.transcript.file);
        const next = bench([says('Fine.')], {}, { world, session: again });
        expect(await runTurn(next.parts, { content: 'Again', source: 'sdk' }, NEVER)).toMatchObject({
          reason: 'end_turn',
        });
        again.close();
        expect(wrongIn(session.transcript.file)).toEqual([]);
      }
      throw new Error('the turn never succeeded');
    },
  );
});
