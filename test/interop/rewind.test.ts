/** A rewind by either client is one for the other: where the conversation goes on, and which files come back. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileHistory } from '../../src/agent/history/history.ts';
import { asArray, asNumber, asString, type JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { context } from '../../src/graph/context/context.ts';
import { assistant, chain, result, toJsonl, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { type Message, withoutReminders } from '../support/resume-cases.ts';
import { calls, says, startScriptedModel } from '../support/scripted-model.ts';
import { clientCommand, NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge } from './judge.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const MODEL = 'claude-opus-4-5-20251101';
const uuidAt = (place: number) => `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
const LINES = chain(
  [
    user('first'),
    assistant([toolUse('toolu_1', 'Bash', { command: 'ls' })], { id: 'm1', model: MODEL, stop: 'tool_use' }),
    result('toolu_1', 'listed'),
    assistant('answer one', { id: 'm2', model: MODEL }),
    user('second'),
    assistant('answer two', { id: 'm3', model: MODEL }),
    user('third'),
    assistant('answer three', { id: 'm4', model: MODEL }),
  ].map((line, index) => ({ ...line, uuid: uuidAt(index + 1) })),
  { sessionId: SESSION, cwd: '/work', userType: 'external', gitBranch: '' },
);
const PINNED = `${JSON.stringify({ type: 'last-prompt', lastPrompt: 'third', leafUuid: uuidAt(8), sessionId: SESSION })}\n`;

function words(messages: readonly Message[]): string[] {
  const blocks = withoutReminders(messages).flatMap(({ content }) => content);
  const all = blocks.flatMap((block) => asString(block.text)?.trim() ?? asString(block.content) ?? []);
  return all.filter((each) => each !== '' && !/^No response requested|^\(no content\)|^</.test(each));
}

describe.each([NEWEST, OLD])('R2–R5: the conversation, resumed by %s', (version) => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(version);
  });
  afterAll(() => judge.close());

  test.each([
    ['without a pin', ''],
    ['with the client’s own pin at the end', PINNED],
  ])('goes on from before the prompt, %s', async (_, pin) => {
    judge.place(SESSION, toJsonl(LINES) + pin);
    const env = { HOME: tempFolder(), CLAUDE_CONFIG_DIR: judge.config, SKEIN_HOME: tempFolder() };
    const back = await runHere(['rewind', SESSION, '--to', '2', '--conversation'], env);
    expect([back.code, back.err]).toEqual([0, '']);
    const sent = await judge.resume(SESSION, 'and now');
    expect(sent.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(words(sent.requests[0]?.messages ?? [])).toEqual(['first', 'listed', 'answer one', 'and now']);
    const ours = context(readSession(encode(judge.transcriptOf(SESSION))).entries, { prompt: 'more' });
    expect(words(ours.messages)).toEqual(['first', 'listed', 'answer one', 'and now', 'ok', 'more']);
  });

  test('goes to the end again', async () => {
    judge.place(SESSION, toJsonl(LINES) + PINNED);
    const env = { HOME: tempFolder(), CLAUDE_CONFIG_DIR: judge.config, SKEIN_HOME: tempFolder() };
    await runHere(['rewind', SESSION, '--to', '2', '--conversation'], env);
    expect((await runHere(['rewind', SESSION, '--to', 'end', '--conversation'], env)).code).toBe(0);
    const sent = await judge.resume(SESSION, 'and now');
    expect(words(sent.requests[0]?.messages ?? [])).toContain('answer three');
  });
});

describe('L4: files', () => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await createJudge(NEWEST);
  });
  afterAll(() => judge.close());

  test('what we kept, the published client brings back: contents, modes, files made and removed since', async () => {
    judge.place(SESSION, toJsonl(LINES));
    const transcript = join(judge.project, `${SESSION}.jsonl`);
    const at = (name: string) => join(judge.workspace, name);
    const history = createFileHistory({
      config: judge.config,
      sessionId: SESSION,
      root: judge.workspace,
      line: (value) => appendFileSync(transcript, `${JSON.stringify(value)}\n`),
    });
    mkdirSync(at('sub'));
    writeFileSync(at('sub/tool.sh'), 'old\n');
    chmodSync(at('sub/tool.sh'), 0o750);
    writeFileSync(at('gone.txt'), 'here\n');
    history.beforePrompt(uuidAt(1));
    history.backup(at('sub/tool.sh'), uuidAt(2));
    writeFileSync(at('sub/tool.sh'), 'mid\n');
    history.beforePrompt(uuidAt(5));
    for (const name of ['sub/tool.sh', 'made.txt', 'gone.txt']) history.backup(at(name), uuidAt(6));
    writeFileSync(at('sub/tool.sh'), 'new\n');
    writeFileSync(at('made.txt'), 'made\n');
    unlinkSync(at('gone.txt'));
    chmodSync(at('sub/tool.sh'), 0o600);
    const rewound = async (prompt: string) => {
      const args = ['--resume', SESSION, '--rewind-files', prompt];
      expect(await client(args, { config: judge.config, cwd: judge.workspace })).toEqual([0, '']);
    };
    await rewound(uuidAt(5));
    expect(readFileSync(at('sub/tool.sh'), 'utf8')).toBe('mid\n');
    expect(existsSync(at('made.txt'))).toBe(false);
    expect(readFileSync(at('gone.txt'), 'utf8')).toBe('here\n');
    await rewound(uuidAt(1));
    expect(readFileSync(at('sub/tool.sh'), 'utf8')).toBe('old\n');
    expect(statSync(at('sub/tool.sh')).mode & 0o777).toBe(0o750);
  });

  test('what the published client kept, we bring back', async () => {
    const root = realpathSync(tempFolder());
    const [config, cwd] = [join(root, 'config'), join(root, 'ws')];
    for (const folder of [config, cwd]) mkdirSync(folder);
    const at = (name: string) => join(cwd, name);
    writeFileSync(at('old.sh'), 'one\n');
    chmodSync(at('old.sh'), 0o755);
    const change = (from: string, to: string) =>
      calls('Edit', { file_path: at('old.sh'), old_string: from, new_string: to, replace_all: false });
    const script = [
      calls('Read', { file_path: at('old.sh') }),
      change('one', 'two'),
      says('did it'),
      calls('Read', { file_path: at('old.sh') }),
      change('two', 'three'),
      calls('Write', { file_path: at('made.txt'), content: 'made\n' }),
      says('did more'),
    ];
    const isTurn = (body: JsonObject) => (asNumber(body.max_tokens) ?? 0) > 1 && (asArray(body.tools)?.length ?? 0) > 0;
    const model = await startScriptedModel(script, { isTurn, refuse: () => undefined });
    const flags = ['--dangerously-skip-permissions', '--output-format', 'json'];
    const say = (prompt: string, ...more: string[]) =>
      client(['-p', prompt, ...more, ...flags], { config, cwd, url: model.url });
    expect(await say('first', '--session-id', SESSION)).toEqual([0, '']);
    expect(await say('second', '--resume', SESSION)).toEqual([0, '']);
    await model.close();
    expect(readFileSync(at('old.sh'), 'utf8')).toBe('three\n');
    chmodSync(at('old.sh'), 0o644);
    const env = { HOME: root, CLAUDE_CONFIG_DIR: config, SKEIN_HOME: join(root, 'kept') };
    expect((await runHere(['rewind', SESSION, '--to', '2'], env)).code).toBe(0);
    expect([readFileSync(at('old.sh'), 'utf8'), existsSync(at('made.txt'))]).toEqual(['two\n', false]);
    expect(statSync(at('old.sh')).mode & 0o777).toBe(0o755);
    expect((await runHere(['rewind', SESSION, '--to', '1', '--files'], env)).code).toBe(0);
    expect(readFileSync(at('old.sh'), 'utf8')).toBe('one\n');
  });
});

/** The newest client with checkpoints in print mode too. Gives its exit code and what it complained of. */
function client(
  args: readonly string[],
  { config, cwd, url = 'http://127.0.0.1:9' }: { config: string; cwd: string; url?: string },
): Promise<[number | null, string]> {
  const [program = '', ...own] = clientCommand(NEWEST);
  const env = {
    HOME: dirname(config),
    CLAUDE_CONFIG_DIR: config,
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
    TERM: 'dumb',
  };
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...own, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: 60_000 });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => resolve([code, complaint]));
  });
}
