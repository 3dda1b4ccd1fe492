import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asObject } from '../../../src/format/json.ts';
import { chatWith, lastWords } from '../../support/chat.ts';
import { calls, says, webSearch } from '../../support/scripted-model.ts';
import { isRunning, until } from './shell-host.ts';

const FREE = ['-p', 'go', '--permission-mode', 'bypassPermissions'];

describe('in a whole session', () => {
  it('a long output is in its file, and `show` tells all of it (L4)', async () => {
    const chat = await chatWith([
      calls('Bash', { command: 'seq 1 20000; cd sub 2>/dev/null || mkdir sub && cd sub' }),
      calls('Bash', { command: 'basename "$PWD"' }),
      says('done'),
    ]);
    const { code, err } = await chat.run(FREE);
    expect([code, err]).toEqual([0, '']);
    expect(lastWords(chat.model, 1)).toMatch(/^<persisted-output>\nOutput too large \(106\.3KB\)/);
    expect(lastWords(chat.model, 2)).toBe('sub');
    const story = await chat.story();
    for (const number of ['12345', '20000']) expect(story).toContain(number);
    const results = chat.entries().map((entry) => asObject(entry.toolUseResult));
    expect(results.find((result) => result?.persistedOutputSize)).toMatchObject({ persistedOutputSize: 108_894 });
  });

  it('what runs in the background ends with it', async () => {
    const command = 'echo $$ > pid; exec sleep 100';
    const chat = await chatWith([
      calls('Bash', { command, run_in_background: true }),
      calls('Bash', { command: 'until [ -s pid ]; do sleep 0.01; done; cat pid' }),
      says('done'),
    ]);
    expect((await chat.run(FREE)).code).toBe(0);
    const pid = Number(lastWords(chat.model));
    expect(pid).toBeGreaterThan(1);
    await until(() => !isRunning(pid));
    expect(isRunning(pid)).toBe(false);
  });

  it('a page is fetched as markdown where private addresses are allowed, and refused where not', async () => {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<h1>Hi</h1>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const chat = await chatWith([
      ...[calls('WebFetch', { url, prompt: 'p' }), says('done')],
      ...[calls('WebFetch', { url, prompt: 'p' }), says('done')],
    ]);
    await chat.run(FREE, { env: { SKEIN_ALLOW_PRIVATE_ADDRESSES: '1' } });
    expect(lastWords(chat.model)).toContain('# Hi');
    await chat.run(FREE);
    expect(lastWords(chat.model)).toContain('may not be fetched');
  });

  it('a search asks the model beside the conversation', async () => {
    const found = [{ url: 'https://a.example/1', title: 'Page 1' }];
    const chat = await chatWith([
      calls('WebSearch', { query: 'skein' }),
      says([...webSearch('skein', found)]),
      says('done'),
    ]);
    expect((await chat.run(FREE)).code).toBe(0);
    expect(lastWords(chat.model)).toContain('Page 1: https://a.example/1');
    expect(await chat.story()).toContain('https://a.example/1');
  });
});
