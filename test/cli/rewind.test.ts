/** `skein rewind`: files and conversation as they were, and taking that back. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { createFileHistory } from '../../src/agent/history/history.ts';
import { edit } from '../../src/agent/tools/edit.ts';
import { read } from '../../src/agent/tools/read.ts';
import { write } from '../../src/agent/tools/write.ts';
import { CommandError } from '../../src/cli/errors.ts';
import { readSessionOf } from '../../src/disk/read.ts';
import { plainText } from '../../src/format/content.ts';
import { asObject, asString, type JsonObject } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import { fileHost } from '../agent/tools/filehost.ts';
import { assistant, result, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

/** A session whose tools really ran: three turns that change files. */
async function withSession() {
  const root = realpathSync(tempFolder());
  const project = join(root, 'projects', '-work-app');
  mkdirSync(project, { recursive: true });
  const file = join(project, `${SESSION}.jsonl`);
  const host = fileHost();
  const { run: runTool, cwd, session, put } = host;
  let count = 0;
  let parent: string | null = null;
  const append = (line: JsonObject) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  const say = (line: JsonObject): string => {
    count += 1;
    const uuid = `uuid-${String(count).padStart(4, '0')}`;
    const timestamp = new Date(Date.UTC(2026, 0, 2, 10, 0, count)).toISOString();
    append({
      parentUuid: parent,
      isSidechain: false,
      uuid,
      timestamp,
      sessionId: SESSION,
      cwd,
      version: '2.1.325',
      ...line,
    });
    parent = uuid;
    return uuid;
  };
  const history = createFileHistory({ config: root, sessionId: SESSION, root: cwd, line: append });
  let call = '';
  session.backup = (path) => history.backup(path, call);
  const prompt = (text: string) => history.beforePrompt(say(user(text)));
  const use = async (tool: typeof edit, input: JsonObject) => {
    const id = `toolu_${count}`;
    call = say(assistant([toolUse(id, tool.name, input)], { id: `m${count}`, stop: 'tool_use' }));
    const outcome = await runTool(tool, input);
    expect(outcome.isError).toBeUndefined();
    say(result(id, 'done', { toolUseResult: outcome.result }));
  };
  const answer = (text: string) => say(assistant(text, { id: `m${count}` }));
  put('old.txt', 'one\r\n');
  prompt('first');
  await use(read, { file_path: 'old.txt' });
  await use(edit, { file_path: 'old.txt', old_string: 'one', new_string: 'two' });
  answer('did it');
  prompt('second');
  await use(edit, { file_path: 'old.txt', old_string: 'two', new_string: 'three' });
  await use(write, { file_path: 'made.txt', content: 'made\n' });
  answer('did more');
  prompt('third');
  await use(edit, { file_path: 'made.txt', old_string: 'made', new_string: 'MADE' });
  answer('done');
  const { run, home, env } = machine(root);
  const words = () => {
    const { messages } = context(readSessionOf(file).entries);
    return messages.flatMap(({ content }) =>
      content.filter(({ type }) => type === 'text').map((block) => plainText([block])),
    );
  };
  const files = () => ['old.txt', 'made.txt'].map((name) => (existsSync(host.at(name)) ? host.get(name) : null));
  return { ...host, root, file, run, home, env, words, files, use };
}

async function refused(work: Promise<unknown>): Promise<CommandError> {
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof CommandError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

describe('both', () => {
  test('before the last prompt', async () => {
    const { run, files, words } = await withSession();
    const { code, text } = await run('rewind', SESSION);
    expect(code).toBe(0);
    expect(text).toMatch(/^Rewound to before turn 3 "third"\n/);
    expect(text).toMatch(
      /unchanged: {4}.*old\.txt\nas it was: {4}.*made\.txt\nconversation: \d+ messages\nbackup: .*skein undo/,
    );
    expect(files()).toEqual(['three\r\n', 'made\n']);
    expect(words()).toEqual(['first', 'did it', 'second', 'did more']);
  });

  test('before an earlier one, by number or uuid; and everything back again', async () => {
    const { run, files, words, file } = await withSession();
    const before = readFileSync(file, 'utf8');
    const uuid = readSessionOf(file).entries.find(({ head }) => head.uuid === 'uuid-0007')?.head.uuid ?? '';
    const ran = await run('rewind', SESSION, '--to', uuid);
    expect(ran.text).toMatch(/^Rewound to before turn 2 "second"\n/);
    expect(files()).toEqual(['two\r\n', null]);
    expect(words()).toEqual(['first', 'did it']);
    expect(readFileSync(file, 'utf8').startsWith(before)).toBe(true);
    // A second one goes on from there: what the first brought back is nobody else's.
    await run('rewind', SESSION, '--to', '1', '--files');
    expect(files()).toEqual(['one\r\n', null]);
    await run('undo');
    expect(files()).toEqual(['two\r\n', null]);
    await run('undo', '--force');
    await run('rewind', SESSION, '--to', 'end', '--conversation');
    expect(words()).toEqual(['first', 'did it', 'second', 'did more', 'third', 'done']);
  });

  test.each([
    ['--at', 'uuid-0016'],
    ['--branch', '2'],
  ])('what was left behind can be cloned: %s', async (option, value) => {
    const { run } = await withSession();
    await run('rewind', SESSION, '--to', '2', '--conversation');
    const { file: copy } = asObject((await run('clone', SESSION, option, value, '--json')).json()) ?? {};
    const { messages } = context(readSessionOf(asString(copy) ?? '').entries);
    expect(plainText(messages.at(-1)?.content)).toBe('done');
  });

  test('undo brings the files back as they were', async () => {
    const { run, files } = await withSession();
    const now = files();
    await run('rewind', SESSION, '--to', '1');
    expect(files()).toEqual(['one\r\n', null]);
    await run('undo');
    expect(files()).toEqual(now);
  });

  test('the first prompt: the files alone, with a word', async () => {
    const { run, files, words } = await withSession();
    const { err } = await run('rewind', SESSION, '--to', '1');
    expect(err).toMatch(/Nothing was said before this prompt/);
    expect(files()).toEqual(['one\r\n', null]);
    expect(words()).toContain('done');
  });
});

describe('a part', () => {
  test('--files leaves the transcript as it is, --conversation the files', async () => {
    const { run, files, words, file } = await withSession();
    const before = readFileSync(file, 'utf8');
    await run('rewind', SESSION, '--files');
    expect(files()).toEqual(['three\r\n', 'made\n']);
    expect(readFileSync(file, 'utf8')).toBe(before);
    await run('rewind', SESSION, '--to', '2', '--conversation');
    expect(files()).toEqual(['three\r\n', 'made\n']);
    expect(words()).toEqual(['first', 'did it']);
    expect((await run('check', SESSION)).code).toBe(0);
  });

  test('--dry-run does nothing and shows all; --json', async () => {
    const { run, files, file, at } = await withSession();
    const [before, now] = [readFileSync(file, 'utf8'), files()];
    const ran = await run('rewind', SESSION, '--to', '2', '--dry-run', '--json');
    expect(ran.json()).toMatchObject({
      sessionId: SESSION,
      file,
      to: { turn: 2, uuid: 'uuid-0007', prompt: 'second' },
      files: [
        { path: at('old.txt'), change: 'restore', foreign: false },
        { path: at('made.txt'), change: 'remove', foreign: false },
      ],
      conversation: { messages: 6 },
      note: null,
      backup: null,
      dryRun: true,
    });
    const schema = fileURLToPath(new URL('../../docs/schema/rewind.schema.json', import.meta.url));
    const validate = new Ajv2020({ strictTypes: false }).compile(JSON.parse(readFileSync(schema, 'utf8')));
    expect([validate(ran.json()), validate.errors]).toEqual([true, null]);
    expect([readFileSync(file, 'utf8'), files()]).toEqual([before, now]);
  });
});

test('a file that was written through a link, and one with half a character, are not someone else’s', async () => {
  const { run, use, put, at } = await withSession();
  put('real.txt', 'a\n');
  symlinkSync(at('real.txt'), at('link.txt'));
  await use(read, { file_path: 'link.txt' });
  await use(edit, { file_path: 'link.txt', old_string: 'a', new_string: 'b' });
  await use(write, { file_path: 'odd.txt', content: 'half \ud83d' });
  const { text } = await run('rewind', SESSION, '--dry-run');
  expect(text).toMatch(/as it was: {4}.*real\.txt\nremoved: {6}.*odd\.txt\n/);
});

describe('refused, with nothing done', () => {
  test('a file that someone else changed since, unless forced; it is in the backup', async () => {
    const { run, files, put, words, at } = await withSession();
    put('made.txt', 'by hand\n');
    const error = await refused(run('rewind', SESSION));
    expect([error.message, error.where]).toEqual([
      expect.stringMatching(/Someone else has changed a file/),
      at('made.txt'),
    ]);
    expect(files()[1]).toBe('by hand\n');
    expect(words()).toContain('done');
    expect((await run('rewind', SESSION, '--dry-run')).text).toMatch(/made\.txt \(someone else changed it\)/);
    await run('rewind', SESSION, '--force');
    expect(files()[1]).toBe('made\n');
    await run('undo');
    expect(files()[1]).toBe('by hand\n');
  });

  test('a turn that is not there, one without copies, nothing before it', async () => {
    const { run, file } = await withSession();
    expect((await refused(run('rewind', SESSION, '--to', '9'))).message).toMatch(/There is no turn "9"/);
    expect((await refused(run('rewind', SESSION, '--to', '1', '--conversation'))).message).toMatch(
      /Nothing was said before/,
    );
    expect((await refused(run('rewind', SESSION, '--to', 'end'))).next).toMatch(/skein undo/);
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => !line.includes('file-history'))
        .join('\n'),
    );
    expect((await refused(run('rewind', SESSION))).message).toMatch(/kept no files for turn 3/);
  });

  test('a session that is open in a client', async () => {
    const { run, root } = await withSession();
    mkdirSync(join(root, 'sessions'));
    writeFileSync(join(root, 'sessions', 'x.json'), JSON.stringify({ pid: process.ppid, sessionId: SESSION }));
    expect((await refused(run('rewind', SESSION))).message).toMatch(/open in a client/);
  });

  test('copies that are gone are told', async () => {
    const { run, root, files } = await withSession();
    rmSync(join(root, 'file-history'), { recursive: true });
    const { text } = await run('rewind', SESSION, '--to', '2', '--force');
    expect(text).toMatch(/no copy left: .*old\.txt/);
    expect(files()).toEqual(['three\r\n', null]);
  });
});
