/** `skein chat -p` from its arguments to its exit code, over HTTP. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asString, type JsonObject } from '../../src/format/json.ts';
import { chatWith, lastWords } from '../support/chat.ts';
import { tempFolder } from '../support/files.ts';
import { calls, says, text, thinking, toolUse } from '../support/scripted-model.ts';
import { BIN } from '../support/skein.ts';

const types = (lines: readonly JsonObject[]) =>
  lines.map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type));

test('in a folder that was deleted nothing is done: not in another one either', async () => {
  const chat = await chatWith([]);
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" chat -p hi';
  const env = { PATH: process.env.PATH, HOME: chat.home, ...chat.model.env };
  const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, BIN], { cwd: chat.cwd, env });
  expect(status).toBe(1);
  expect(String(stderr)).toMatch(/This folder is gone\.\n {2}at: .*gone\n/);
  expect(chat.model.requests).toEqual([]);
  expect(existsSync(join(chat.home, '.claude'))).toBe(false);
});

describe('output formats', () => {
  test('text is the answer and nothing else', async () => {
    const chat = await chatWith([says('It is a *test*.')]);
    const ran = await chat.run(['-p', 'What is it?']);
    expect(ran).toMatchObject({ code: 0, out: 'It is a *test*.\n', err: '' });
    expect(await chat.story()).toContain('It is a *test*.');
  });

  test('json is one result with what was used', async () => {
    const chat = await chatWith([calls('Read', { file_path: 'a.txt' }), says('alpha')]);
    writeFileSync(join(chat.cwd, 'a.txt'), 'alpha\n');
    const { code, lines, result } = await chat.run(['-p', 'Read it', '--output-format', 'json']);
    expect(code).toBe(0);
    expect(lines).toHaveLength(1);
    expect(result).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'alpha',
      num_turns: 2,
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
      permission_denials: [],
      usage: { input_tokens: 20, output_tokens: 10 },
      modelUsage: { 'claude-opus-5-5': { inputTokens: 20, outputTokens: 10, contextWindow: 1_000_000 } },
    });
    expect(result.total_cost_usd).toBeGreaterThan(0);
    expect(result.usage).not.toHaveProperty('costUSD');
    const [file = ''] = chat.sessions();
    expect(file).toContain(asString(result.session_id));
  });

  test('stream-json has the messages of the published client, in its order', async () => {
    const chat = await chatWith([
      says([thinking('hm'), text('I look.'), toolUse('Bash', { command: 'touch x' }, 'toolu_1')]),
      says('Not allowed.'),
    ]);
    const { lines } = await chat.run(['-p', 'Do it', '--output-format', 'stream-json', '--verbose']);
    expect(types(lines)).toEqual([
      'system/init',
      'assistant',
      'assistant',
      'assistant',
      'system/permission_denied',
      'user',
      'assistant',
      'result/success',
    ]);
    const [init = {}, , , use = {}, denied = {}, refused = {}] = lines;
    expect(init).toMatchObject({ cwd: chat.cwd, permissionMode: 'default', apiKeySource: 'ANTHROPIC_API_KEY' });
    expect(init.tools).toEqual(expect.arrayContaining(['Bash', 'Read', 'WebSearch']));
    expect(use).toMatchObject({
      parent_tool_use_id: null,
      session_id: init.session_id,
      message: { role: 'assistant' },
    });
    expect(denied).toMatchObject({ tool_name: 'Bash', tool_use_id: 'toolu_1' });
    expect(refused).toMatchObject({
      message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true }] },
      tool_result_meta: [{ id: 'toolu_1', permission_decision: { decision: 'reject', source: 'config' } }],
    });
    // What is told stands in the transcript under the same name.
    const uuids = new Set(chat.entries().map(({ uuid }) => uuid));
    for (const line of lines.filter(({ type }) => type === 'assistant' || type === 'user')) {
      expect(uuids).toContain(line.uuid);
    }
  });

  test('--include-partial-messages adds the events; a block is told before the event that ended it', async () => {
    const chat = await chatWith([says([text('One.'), text('Two.')])]);
    const args = ['-p', 'hi', '--output-format', 'stream-json', '--include-partial-messages', '--replay-user-messages'];
    const { lines } = await chat.run(args);
    const events = lines.map(({ type, event }) =>
      type === 'stream_event' ? (event as JsonObject).type : type === 'user' ? 'user' : type,
    );
    const block = ['content_block_start', 'content_block_delta', 'assistant', 'content_block_stop'];
    expect(events.filter((name, i) => name !== 'ping' && name !== events[i - 1])).toEqual([
      'system',
      'user',
      'system',
      'message_start',
      ...block,
      ...block,
      'message_delta',
      'message_stop',
      'result',
    ]);
    expect(lines[1]).toMatchObject({ type: 'user', isReplay: true });
  });

  test('a reader that leaves early ends it quietly, and the transcript is closed', async () => {
    const chat = await chatWith([says([text('a'), toolUse('Bash', { command: 'sleep 0.2' })]), says('b')]);
    const { child, done, printed } = chat.start([
      '-p',
      'hi',
      '--output-format',
      'stream-json',
      '--allowedTools',
      'Bash',
    ]);
    await printed('system');
    child.stdout?.destroy();
    const { code, err } = await done;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    await chat.story();
    expect(chat.entries().at(-1)?.type).toBe('cost-state');
  });
});

describe('what is sent', () => {
  test('prompt, files of instructions, appended words, thinking, tools, model', async () => {
    const chat = await chatWith([says('ok')]);
    writeFileSync(join(chat.cwd, 'CLAUDE.md'), 'Always be brief. @more.md');
    writeFileSync(join(chat.cwd, 'more.md'), 'Use tabs.');
    const args = ['-p', 'hi', '--model', 'claude-sonnet-4-5', '--thinking', '2000', '--tools', 'Read,Bash'];
    await chat.run([...args, '--append-system-prompt', 'Say please.', '--disallowedTools', 'Bash']);
    const [request] = chat.model.requests;
    const system = JSON.stringify(request?.body.system);
    for (const words of ['Always be brief.', 'Use tabs.', 'Say please.', chat.cwd, 'claude-sonnet-4-5']) {
      expect(system).toContain(words);
    }
    expect(request?.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: [{ name: 'Read' }],
    });
    expect(lastWords(chat.model)).toBe('hi');
  });

  test('--system-prompt replaces our instructions; --tools "" sends none', async () => {
    const chat = await chatWith([says('ok')]);
    await chat.run(['-p', 'hi', '--system-prompt', 'You are a parrot.', '--tools', '']);
    const [request] = chat.model.requests;
    expect(request?.body.system).toMatchObject([{ text: 'You are a parrot.' }, {}]);
    expect(request?.body.tools).toBeUndefined();
  });

  test('what is piped in follows the prompt, or is it', async () => {
    const chat = await chatWith(() => says('ok'));
    await chat.run(['-p', 'Review this'], { input: 'piped\n' });
    expect(lastWords(chat.model)).toBe('Review this\npiped\n');
    await chat.run(['-p'], { input: 'only piped' });
    expect(lastWords(chat.model)).toBe('only piped');
  });
});

describe('permissions', () => {
  test.each([
    [[], 1, false],
    [['--allowedTools', 'Bash(git init:*)'], 0, true],
    [['--permission-mode', 'acceptEdits'], 1, false],
    [['--permission-mode', 'plan', '--allowedTools', 'Bash'], 1, false],
    [['--dangerously-skip-permissions'], 0, true],
    [['--dangerously-skip-permissions', '--disallowedTools', 'Bash(git init:*)'], 1, false],
  ])('a command with %j', async (args, denials, isThere) => {
    const chat = await chatWith([calls('Bash', { command: 'git init -q made' }), says('done')]);
    const { result, code } = await chat.run(['-p', 'go', '--output-format', 'json', ...args]);
    expect(code).toBe(0);
    expect(result.permission_denials).toHaveLength(denials);
    expect(existsSync(join(chat.cwd, 'made'))).toBe(isThere);
    await chat.story();
  });

  test('acceptEdits writes in the folder and in those added, not elsewhere', async () => {
    const chat = await chatWith([
      says([
        toolUse('Write', { file_path: 'in.txt', content: 'a' }),
        toolUse('Write', { file_path: '../more/added.txt', content: 'b' }),
        toolUse('Write', { file_path: '../other.txt', content: 'c' }),
        toolUse('Write', { file_path: 'link/through.txt', content: 'd' }),
      ]),
      says('done'),
    ]);
    for (const name of ['more', 'elsewhere']) mkdirSync(join(chat.cwd, '..', name));
    symlinkSync(join(chat.cwd, '..', 'elsewhere'), join(chat.cwd, 'link'));
    await chat.run(['-p', 'go', '--permission-mode', 'acceptEdits', '--add-dir', '../more']);
    const at = (path: string) => existsSync(join(chat.cwd, path));
    expect(['in.txt', '../more/added.txt', '../other.txt', '../elsewhere/through.txt'].map(at)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await chat.story();
  });
});

describe('every tool once', () => {
  test('files', async () => {
    const chat = await chatWith([
      calls('Write', { file_path: 'a.txt', content: 'one\ntwo\n' }),
      calls('Read', { file_path: 'a.txt' }),
      calls('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'ONE' }),
      calls('MultiEdit', { file_path: 'a.txt', edits: [{ old_string: 'two', new_string: 'TWO' }] }),
      calls('NotebookEdit', { notebook_path: 'n.ipynb', new_source: 'x', edit_mode: 'insert', cell_type: 'code' }),
      calls('Glob', { pattern: '*.txt' }),
      calls('Grep', { pattern: 'TWO', output_mode: 'content' }),
      calls('TodoWrite', { todos: [{ content: 'a', status: 'pending', activeForm: 'doing a' }] }),
      says('done'),
    ]);
    const { code } = await chat.run(['-p', 'go', '--permission-mode', 'acceptEdits']);
    expect(code).toBe(0);
    expect(readFileSync(join(chat.cwd, 'a.txt'), 'utf8')).toBe('ONE\nTWO\n');
    const results = chat.model.requests.slice(1).map((_, i) => lastWords(chat.model, i + 1));
    expect(results[1]).toContain('one');
    expect(results[5]).toContain('a.txt');
    expect(results[6]).toContain('TWO');
    const story = await chat.story();
    for (const name of ['Write', 'Read', 'Edit', 'MultiEdit', 'Glob', 'Grep']) expect(story).toContain(name);
    // A rewind can bring the file back: it was kept before it was changed.
    expect(chat.entries().some(({ type }) => type === 'file-history-snapshot')).toBe(true);
  });

  test('commands and the web', async () => {
    const chat = await chatWith((request, index) => {
      const id = /ID: (\w+)/.exec(lastWords(chat.model, 2))?.[1] ?? '';
      const steps = [
        calls('Bash', { command: 'mkdir sub && cd sub && pwd' }),
        calls('Bash', { command: 'pwd; sleep 30', run_in_background: true }),
        calls('BashOutput', { bash_id: id }),
        calls('KillShell', { shell_id: id }),
        calls('WebFetch', { url: 'http://127.0.0.1:9/', prompt: 'what is it' }),
        calls('WebSearch', { query: 'skein' }),
      ];
      if (JSON.stringify(request.body.tools).includes('web_search_2025')) return says('Found nothing.');
      return steps[index] ?? says('done');
    });
    const { code } = await chat.run(['-p', 'go', '--permission-mode', 'bypassPermissions']);
    expect(code).toBe(0);
    expect(lastWords(chat.model, 1)).toContain(join(chat.cwd, 'sub'));
    expect(lastWords(chat.model, 2)).toContain('background');
    // Addresses of this machine are not fetched unasked.
    expect(lastWords(chat.model, 5)).toContain('may not be fetched');
    await chat.story();
  });

  test('what is loaded only when it is used: pages, PDF files, notebooks', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<h1>Title</h1><p>Some <b>words</b>.</p>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
    const cell = { cell_type: 'code', id: 'c1', source: ['1 + 1'], outputs: [], metadata: {}, execution_count: null };
    const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    const chat = await chatWith([
      says([
        toolUse('WebFetch', { url, prompt: 'what is it' }),
        toolUse('Read', { file_path: 'doc.pdf' }),
        toolUse('Read', { file_path: 'n.ipynb' }),
      ]),
      says('done'),
    ]);
    writeFileSync(join(chat.cwd, 'doc.pdf'), pdfOf('Hello'));
    writeFileSync(join(chat.cwd, 'n.ipynb'), JSON.stringify(notebook));
    const env = { SKEIN_ALLOW_PRIVATE_ADDRESSES: '1' };
    await chat.run(['-p', 'go', '--allowedTools', 'WebFetch'], { env });
    const told = lastWords(chat.model);
    for (const words of ['# Title', '**words**', 'Hello', '1 + 1']) expect(told).toContain(words);
    await chat.story();
  });

  test('without byte code the whole command does the same', async () => {
    const root = tempFolder();
    const from = dirname(dirname(BIN));
    cpSync(join(from, 'bin'), join(root, 'bin'), { recursive: true });
    cpSync(join(from, 'package.json'), join(root, 'package.json'));
    const isNeeded = (path: string) => !/\.cache$|[/\\]dist[/\\](?:web|types|hot-)/.test(path);
    cpSync(join(from, 'dist'), join(root, 'dist'), { recursive: true, filter: isNeeded });
    const chat = await chatWith([
      calls('Read', { file_path: 'a.txt' }),
      calls('Read', { file_path: 'doc.pdf' }),
      says('ok'),
    ]);
    writeFileSync(join(chat.cwd, 'a.txt'), 'alpha\n');
    writeFileSync(join(chat.cwd, 'doc.pdf'), pdfOf('Hello'));
    expect(await chat.run(['-p', 'go'], { bin: join(root, 'bin', 'skein') })).toMatchObject({
      code: 0,
      out: 'ok\n',
      err: '',
    });
    expect(lastWords(chat.model, 1)).toContain('alpha');
    expect(lastWords(chat.model, 2)).toContain('Hello');
  });

  test('an unknown tool and a wrong input are told to the model', async () => {
    const chat = await chatWith([says([toolUse('Nothing', {}), toolUse('Read', { path: 1 })]), says('sorry')]);
    const { code } = await chat.run(['-p', 'go']);
    expect(code).toBe(0);
    const results = chat.model.requests[1]?.messages.at(-1)?.content ?? [];
    expect(results).toMatchObject([{ is_error: true }, { is_error: true }]);
    await chat.story();
  });
});

/** One page with one line. */
function pdfOf(words: string): string {
  const stream = `BT /F1 12 Tf 50 700 Td (${words}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, i) => {
    const place = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  return `${text}xref\n0 6\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}
