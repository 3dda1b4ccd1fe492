import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runTurn } from '../../src/agent/loop.ts';
import {
  type Forked,
  forkSession,
  newestSession,
  newSession,
  projectFolder,
  resumeSession,
  type Session,
} from '../../src/agent/session.ts';
import { DiskError } from '../../src/disk/errors.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { validate } from '../../src/graph/validate.ts';
import { listedCases, PROMPT, resumeCases } from '../support/resume-cases.ts';
import { bench, call, says, text } from './parts.ts';
import { contextOf, createWorld, linesOf, type World, wrongIn } from './world.ts';

const TYPED = { source: 'typed', permissionMode: 'default' } as const;
const NEVER = new AbortController().signal;

/** A session with one whole turn in it. */
async function written(world: World): Promise<string> {
  const session = newSession(world.options);
  const it = bench([says('One.')], {}, { world, session });
  await runTurn(it.parts, { content: 'First', source: 'typed' }, NEVER);
  session.close();
  return session.transcript.file;
}

function place(world: World, text: string, id: string = crypto.randomUUID()): string {
  const file = join(projectFolder(world.options), `${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function say(session: Session, words: string): void {
  session.transcript.prompt(words, TYPED);
  const answer = { id: `msg_${crypto.randomUUID()}`, model: 'claude-opus-5-5', index: 0, stopReason: 'end_turn' };
  session.transcript.block({ type: 'text', text: `Re: ${words}` }, { ...answer, usage: { output_tokens: 1 } });
}

describe('new', () => {
  test('L1, L2: lies where the client looks for it; nothing is written before something is said', () => {
    const world = createWorld();
    const session = newSession(world.options);
    const { file, sessionId } = session.transcript;
    expect(file).toBe(join(world.config, 'projects', projectSlug(world.cwd), `${sessionId}.jsonl`));
    expect(existsSync(file)).toBe(false);
    session.close();
  });

  test('an id that is taken is refused', async () => {
    const world = createWorld();
    const file = await written(world);
    const [, id = ''] = /([^/]+)\.jsonl$/.exec(file) ?? [];
    expect(() => newSession(world.options, id)).toThrow(DiskError);
  });

  test('L4: what is typed is remembered, what a program says is not', () => {
    const world = createWorld();
    const session = newSession(world.options);
    session.transcript.prompt('typed words', TYPED);
    session.transcript.prompt('said by a program', { ...TYPED, source: 'sdk' });
    expect(linesOf(join(world.config, 'history.jsonl'))).toMatchObject([
      { display: 'typed words', pastedContents: {}, project: world.cwd, sessionId: session.transcript.sessionId },
    ]);
    session.close();
  });
});

describe('resume', () => {
  test('goes on in the same file, in one chain (W2)', async () => {
    const world = createWorld();
    const file = await written(world);
    const before = readFileSync(file, 'utf8');
    const session = resumeSession(world.options, file);
    say(session, 'Second');
    session.close();
    const after = readFileSync(file, 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect(linesOf(file).filter((line) => line.parentUuid === null)).toHaveLength(1);
    expect(new Set(linesOf(file).flatMap(({ slug }) => slug ?? [])).size).toBe(1);
    expect(wrongIn(file)).toEqual([]);
  });

  test('R13: what the client appends to a session that stopped in the middle', () => {
    const world = createWorld();
    const cut = newSession(world.options);
    cut.transcript.prompt('Go', TYPED);
    const answer = { id: 'msg_1', model: 'claude-opus-5-5', index: 0, stopReason: 'tool_use', usage: {} };
    cut.transcript.block(call('Bash', { command: 'sleep 9' }, 'toolu_open'), answer);
    cut.close();
    const session = resumeSession(world.options, cut.transcript.file);
    const untouched = readFileSync(cut.transcript.file, 'utf8');
    session.transcript.prompt('What happened?', TYPED);
    expect(untouched).not.toContain('No response requested.');
    const lines = linesOf(session.transcript.file).filter(({ uuid }) => uuid !== undefined);
    expect(lines.slice(2)).toMatchObject([
      { type: 'user', parentUuid: lines[1]?.uuid, toolDenialKind: 'interrupted' },
      { type: 'assistant', parentUuid: lines[2]?.uuid, message: { model: '<synthetic>' } },
      { type: 'user', parentUuid: lines[3]?.uuid, message: { content: 'What happened?' } },
    ]);
    expect(wrongIn(session.transcript.file)).toEqual([]);
    session.close();
  });

  test('R: whatever is in a file, a prompt goes on from what a resume sends', () => {
    const world = createWorld();
    const seams: string[] = [];
    const cases = [...resumeCases(), ...listedCases('probes.jsonl')];
    for (const { name, input } of cases) {
      const file = place(world, input);
      const session = resumeSession(world.options, file);
      const expected = contextOf(file, { prompt: PROMPT }).messages;
      session.transcript.prompt(PROMPT, TYPED);
      const messages = session.transcript.messages();
      session.close();
      expect(validate(messages), name).toEqual([]);
      // R11: where a dropped API error stood, the client joins a prompt of the file with a line break and a new one without.
      if (!isDeepStrictEqual(messages, expected)) seams.push(name);
      const joined = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('\\n', ''));
      expect(joined(messages), name).toEqual(joined(expected));
    }
    expect(cases.length).toBeGreaterThan(100);
    expect(seams.length).toBeLessThan(8);
  });

  test('E15: lines without uuids cannot be gone on from; a copy that has them can', () => {
    const world = createWorld();
    const lines = [
      { type: 'user', message: { role: 'user', content: 'Q1' } },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'A1' }] } },
    ];
    const session = resumeSession(
      world.options,
      place(world, lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    );
    expect(session.forked).toMatchObject({ why: 'unlinked' });
    session.transcript.prompt('Q2', TYPED);
    expect(session.transcript.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    session.close();
  });

  test.each([
    ['torn', (text: string) => text.slice(0, -40)],
    ['with bad lines', (text: string) => `not json\n${text}{"half":\n\n[1]\n`],
    ['empty', () => ''],
  ])('E1: a file that is %s opens', async (_, damage) => {
    const world = createWorld();
    const file = await written(world);
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    const session = resumeSession(world.options, file);
    say(session, 'Second');
    expect(session.transcript.messages()).toEqual(contextOf(file).messages);
    expect(JSON.stringify(session.transcript.messages())).toContain('Second');
    expect(wrongIn(file, ['error']).filter((wrong) => !wrong.includes(' E1 '))).toEqual([]);
    session.close();
  });

  test('a file that is not there is told', () => {
    const world = createWorld();
    expect(() => resumeSession(world.options, join(world.config, 'no.jsonl'))).toThrow(DiskError);
  });

  test('W4: cut at any line, and inside any, it goes on with all that was whole', async () => {
    const world = createWorld();
    const session = newSession(world.options);
    const failure = { type: 'connection_error', message: 'reset' };
    const cut = { ...says('Kept.', call('Echo', { text: 'a' }), call('Echo', { text: 'b' })) };
    const script = [{ ...cut, attempts: [{ after: [text('Lost.'), call('Echo')], failure }] }, says('Done.')];
    const it = bench(script, {}, { world, session });
    await runTurn(it.parts, { content: 'First', source: 'typed' }, NEVER);
    session.close();
    const whole = readFileSync(session.transcript.file);
    const ends = [...whole.entries()].flatMap(([at, byte]) => (byte === 10 ? [at + 1] : []));
    for (const end of ends.flatMap((at) => [at, at - 1, at - 30])) {
      const file = place(world, whole.subarray(0, end).toString('utf8'));
      const again = resumeSession(world.options, file);
      say(again, 'Second');
      again.close();
      const { messages } = contextOf(file);
      expect(validate(messages), `${end}`).toEqual([]);
      expect(messages).toEqual(again.transcript.messages());
      expect(wrongIn(file, ['error']).filter((wrong) => !wrong.includes(' E1 '))).toEqual([]);
      if (end > (ends[2] ?? 0)) expect(JSON.stringify(messages)).toContain('First');
    }
  });

  test('memory: of what was compacted away nothing is looked at again', async () => {
    const world = createWorld();
    const file = await written(world);
    const id = crypto.randomUUID();
    const boundary = {
      parentUuid: null,
      logicalParentUuid: linesOf(file).at(-3)?.uuid,
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'manual', preTokens: 1 },
      uuid: id,
      timestamp: new Date().toISOString(),
    };
    const summary = {
      parentUuid: id,
      type: 'user',
      isCompactSummary: true,
      message: { role: 'user', content: 'So far so good.' },
      uuid: crypto.randomUUID(),
      timestamp: new Date().toISOString(),
    };
    const pin = { type: 'last-prompt', lastPrompt: 'First', leafUuid: summary.uuid };
    appendFileSync(file, [boundary, summary, pin].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const session = resumeSession(world.options, file);
    session.transcript.prompt('Next', TYPED);
    expect(session.transcript.unsettled).toBeLessThan(6);
    expect(session.transcript.messages()).toEqual(contextOf(file).messages);
    session.close();
  });
});

describe('fork', () => {
  test('H1: a copy under a new id, uuids kept, each line told where it came from; the original stays', async () => {
    const world = createWorld();
    const file = await written(world);
    const before = readFileSync(file, 'utf8');
    mkdirSync(join(world.config, 'file-history', file.slice(-42, -6)), { recursive: true });
    writeFileSync(join(world.config, 'file-history', file.slice(-42, -6), 'abc@v1'), 'kept');
    const session = forkSession(world.options, file);
    say(session, 'Elsewhere');
    session.close();
    expect(readFileSync(file, 'utf8')).toBe(before);
    const copies = linesOf(session.transcript.file);
    expect(new Set(copies.map(({ sessionId }) => sessionId))).toEqual(new Set([session.transcript.sessionId]));
    const from = linesOf(file).filter(({ uuid }) => uuid !== undefined);
    expect(copies.filter(({ forkedFrom }) => forkedFrom !== undefined).map(({ uuid }) => uuid)).toEqual(
      from.map(({ uuid }) => uuid),
    );
    expect(copies.find(({ uuid }) => uuid !== undefined)?.forkedFrom).toEqual({
      sessionId: from[0]?.sessionId,
      messageUuid: from[0]?.uuid,
    });
    expect(existsSync(join(world.config, 'file-history', session.transcript.sessionId, 'abc@v1'))).toBe(true);
    expect(wrongIn(session.transcript.file)).toEqual([]);
  });
});

describe('continue', () => {
  test('L2: the newest session of the folder, by its slug', async () => {
    const world = createWorld();
    expect(newestSession(world.options)).toBeUndefined();
    const first = await written(world);
    const second = await written(world);
    place(world, '', crypto.randomUUID());
    utimesSync(second, new Date(), new Date(Date.now() - 60_000));
    expect(newestSession(world.options)).toBe(first);
    expect(newestSession({ ...world.options, cwd: world.config })).toBeUndefined();
  });
});

describe('two writers', () => {
  test('a session that another client has open (L4) is forked as it is opened', async () => {
    const world = createWorld();
    const file = await written(world);
    const sessionId = linesOf(file)[0]?.sessionId;
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill());
    mkdirSync(join(world.config, 'sessions'), { recursive: true });
    const live = join(world.config, 'sessions', `${child.pid}.json`);
    writeFileSync(live, JSON.stringify({ pid: child.pid, sessionId, version: '2.1.325' }));
    const session = resumeSession(world.options, file);
    expect(session.forked).toMatchObject({ from: sessionId, why: 'live', pid: child.pid });
    session.close();
    child.kill();
    await once(child, 'exit');
    const own = resumeSession(world.options, file);
    expect(own.forked).toBeUndefined();
    own.close();
  });

  test('a process that took the number of a dead client does not count', async () => {
    const world = createWorld();
    const file = await written(world);
    const sessionId = linesOf(file)[0]?.sessionId;
    mkdirSync(join(world.config, 'sessions'), { recursive: true });
    const dead = { pid: process.ppid, procStart: '1', sessionId };
    writeFileSync(join(world.config, 'sessions', `${process.ppid}.json`), JSON.stringify(dead));
    const session = resumeSession(world.options, file);
    expect(session.forked).toBeUndefined();
    session.close();
  });

  test('twice in one process', async () => {
    const world = createWorld();
    const file = await written(world);
    const first = resumeSession(world.options, file);
    const second = resumeSession(world.options, file);
    expect(second.forked).toMatchObject({ why: 'live', pid: process.pid });
    for (const session of [first, second]) session.close();
    expect(readdirSync(join(world.config, 'sessions'))).toEqual([]);
  });

  test('lines that somebody else wrote meanwhile: ours go to a fork, nothing is mixed', async () => {
    const forks: Forked[] = [];
    const world = createWorld({ onFork: (fork) => forks.push(fork) });
    const theirs = `${JSON.stringify({ type: 'mode', mode: 'normal', note: 'theirs' })}\n`;
    let original = '';
    const session = newSession(world.options);
    const it = bench(
      (_, index) => {
        if (index > 0) return says('Done.');
        original = session.transcript.file;
        return { ...says(call('Echo', { text: 'a' })), onTold: () => appendFileSync(original, theirs) };
      },
      {},
      { world, session },
    );
    const end = await runTurn(it.parts, { content: 'Go', source: 'typed' }, NEVER);
    session.close();
    expect(end.reason).toBe('end_turn');
    expect(forks).toMatchObject([{ why: 'foreign', to: session.transcript.sessionId }]);
    expect(readFileSync(original, 'utf8').endsWith(theirs)).toBe(true);
    const { file } = session.transcript;
    expect(file).not.toBe(original);
    expect(readFileSync(file, 'utf8')).not.toContain('theirs');
    expect(contextOf(file).messages).toEqual(session.transcript.messages());
    expect(contextOf(file).messages).toHaveLength(4);
    expect(wrongIn(file)).toEqual([]);
    expect(wrongIn(original, ['error'])).toEqual([]);
  });

  test.each([0, 1, 2, 3, 4])(
    'somebody who writes in the instant of our write %i: he goes first, ours to a fork',
    async (nth) => {
      const theirs = `${JSON.stringify({ type: 'mode', mode: 'normal', note: 'theirs' })}\n`;
      let original = '';
      let count = 0;
      const write = (fd: number, bytes: Uint8Array) => {
        if (count === nth) appendFileSync(original, theirs);
        count += 1;
        return writeSync(fd, bytes);
      };
      const world = createWorld({ write });
      const session = newSession(world.options);
      original = session.transcript.file;
      const it = bench([says(call('Echo', { text: 'a' })), says('Done.')], {}, { world, session });
      expect(await runTurn(it.parts, { content: 'Go', source: 'sdk' }, NEVER)).toMatchObject({ reason: 'end_turn' });
      session.close();
      const { file } = session.transcript;
      expect(file).not.toBe(original);
      expect(readFileSync(original, 'utf8').endsWith(theirs)).toBe(true);
      expect(readFileSync(file, 'utf8')).not.toContain('theirs');
      expect(contextOf(file).messages).toEqual(session.transcript.messages());
      expect(contextOf(file).messages).toHaveLength(4);
      expect(wrongIn(file)).toEqual([]);
    },
  );

  test('a file that was removed meanwhile ends the turn with a clear word', async () => {
    const world = createWorld();
    const file = await written(world);
    const session = resumeSession(world.options, file);
    writeFileSync(file, '');
    const it = bench([says('Two.')], {}, { world, session });
    const end = await runTurn(it.parts, { content: 'Go', source: 'typed' }, NEVER);
    expect(end).toMatchObject({ reason: 'failed', failure: { type: 'disk_error' } });
    session.close();
  });
});

test('rename: both lines of the client', () => {
  const world = createWorld();
  const session = newSession(world.options);
  session.transcript.prompt('Go', TYPED);
  session.rename('A fine name');
  expect(linesOf(session.transcript.file).slice(-2)).toMatchObject([
    { type: 'custom-title', customTitle: 'A fine name' },
    { type: 'agent-name', agentName: 'A fine name' },
  ]);
  session.close();
});
