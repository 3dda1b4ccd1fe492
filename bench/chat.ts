/** The rows of the agent: launch to its first request, and what a turn and a call cost as a session grows. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Bench } from './bench.ts';
import { ROOT } from './corpus.ts';
import { costOf } from './measure.ts';

const HOME = join(ROOT, '.cache', 'bench', 'chat');
const RUNS = 20;
const TURNS = 1000;
const CALLS = 10_000;
const CALLS_AT_ONCE = 50;
const MB = 1e6;

type Command = Pick<Bench, 'node' | 'skein' | 'row'>;

export async function benchChat({ node, skein, row }: Command): Promise<void> {
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(join(HOME, 'work'), { recursive: true });
  console.log('\nthe agent, against a model on this machine');
  try {
    await benchLaunch({ node, skein, row });
    await benchTurns({ node, skein, row });
    await benchCalls({ node, skein, row });
  } finally {
    rmSync(HOME, { recursive: true, force: true });
  }
}

/** Ends whoever asks, at the first request: what was used until then is all there is to count. */
const ENDING = `const { appendFileSync, readFileSync } = require('node:fs');
require('node:http').createServer((request) => {
  let body = '';
  request.on('data', (chunk) => { body += chunk; }).on('end', () => {
    const pid = Number(/pid (\\d+)/.exec(body)[1]);
    appendFileSync(process.argv[1], /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))[1] + '\\n');
    process.kill(pid, 'SIGKILL');
  });
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

async function benchLaunch({ node, skein, row }: Command): Promise<void> {
  const peaks = join(HOME, 'peaks');
  const server = spawn(node, ['-e', ENDING, peaks], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(server.stdout, 'data');
    // The shell becomes the program, so that it can be named beforehand.
    const start = costOf(`bash -c 'exec ${node} -e 0'`, RUNS);
    const env = `cd ${HOME}/work; export HOME=${HOME} ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL=http://127.0.0.1:${String(port).trim()}`;
    const chat = costOf(`(${env}; bash -c 'exec ${node} ${skein} chat -p "pid $$"' </dev/null 2>/dev/null)`, RUNS);
    row('chat -p, launch to first request', `${chat.cpu.toFixed(3)} s`, chat.cpu / start.cpu, 'node -e 0', 5);
    const peak = Math.max(...readFileSync(peaks, 'utf8').trim().split('\n').map(Number)) * 1024;
    row('the same: peak memory', megabytes(peak), peak / (120 * MB), '120 MB', 1);
  } finally {
    server.kill();
  }
}

/** One process, one prompt after the other. */
async function benchTurns({ node, skein, row }: Command): Promise<void> {
  const model = await startModel(() => [{ type: 'text', text: 'That is so.' }]);
  const { child, results } = startStream(node, skein, model.port);
  const cpu: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    child.stdin?.write(promptLine(`Is ${turn} a number?`));
    await results.next();
    cpu.push(cpuOf(child));
  }
  child.stdin?.end();
  await once(child, 'close');
  model.close();
  const spent = (from: number, to: number) => (cpu[to - 1] ?? 0) - (cpu[from - 1] ?? 0);
  // The first hundred are those in which the code gets warm. What grows is the history itself: it is sent with each.
  const [early, late] = [spent(100, 200), spent(TURNS - 100, TURNS)];
  const each = `${((late / 100) * 1000).toFixed(1)} ms`;
  row(`a turn, the last 100 of ${TURNS}`, each, late / early, 'turns 101 to 200', 1.3);
}

/** One turn of many calls, several at once: the memory of the process, and how much of it is held after a collection. */
async function benchCalls({ node, skein, row }: Command): Promise<void> {
  let asked = 0;
  let held = 0;
  const seen: Record<number, { readonly held: number; readonly rss: number; readonly bytes: number }> = {};
  const started: { child?: ChildProcess } = {};
  const model = await startModel((bytes) => {
    if (started.child) seen[asked * CALLS_AT_ONCE] = { held, rss: rssOf(started.child), bytes };
    asked += 1;
    if (asked > CALLS / CALLS_AT_ONCE) return [{ type: 'text', text: 'Done.' }];
    return Array.from({ length: CALLS_AT_ONCE }, (_, i) => ({
      type: 'tool_use',
      id: `toolu_${asked}_${i}`,
      name: 'Read',
      input: { file_path: '/etc/hostname' },
    }));
  });
  const { child, results } = startStream(node, skein, model.port, ['--trace-gc']);
  started.child = child;
  child.stdout?.on('data', (text: Buffer) => {
    const [, left] = /Mark-Compact.* -> ([\d.]+) \(/.exec(text.toString('latin1')) ?? [];
    if (left !== undefined) held = Number(left) * MB;
  });
  child.stdin?.end(promptLine('Read it.'));
  await results.next();
  await once(child, 'close');
  model.close();
  const none = { held: 0, rss: 0, bytes: 0 };
  const [few, many] = [seen[CALLS / 10] ?? none, seen[CALLS] ?? none];
  row(`memory after ${CALLS} calls`, megabytes(many.rss), many.rss / few.rss, `after ${CALLS / 10}`, 1.3);
  const [kept, sent] = [many.held - few.held, many.bytes - few.bytes].map(megabytes);
  console.log(`     (${kept} of it held for the ${sent} that each request has more to send)`);
}

function startStream(node: string, skein: string, port: number, flags: readonly string[] = []) {
  const args = [...flags, skein, 'chat', '-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
  const env = {
    PATH: process.env.PATH,
    HOME,
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
  };
  const child = spawn(node, args, { cwd: join(HOME, 'work'), env, stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, results: resultsOf(child) };
}

async function* resultsOf(child: ChildProcess): AsyncGenerator<string> {
  if (child.stdout === null) return;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"type":"result"')) yield line;
  }
}

function promptLine(content: string): string {
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
}

async function startModel(answer: (bytes: number) => object[]): Promise<{ port: number; close(): void }> {
  let count = 0;
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      const blocks = answer(bytes);
      count += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        eventsOf(`msg_${count}`, blocks)
          .map((event) => `data: ${JSON.stringify(event)}\n\n`)
          .join(''),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function eventsOf(id: string, blocks: readonly object[]): object[] {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const calls = blocks.some((block) => 'input' in block);
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [],
    stop_reason: null,
    usage,
  };
  const parts = blocks.flatMap((block, index) => {
    const isCall = 'input' in block;
    const empty = isCall ? { ...block, input: {} } : { ...block, text: '' };
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      : { type: 'text_delta', text: 'text' in block ? block.text : '' };
    return [
      { type: 'content_block_start', index, content_block: empty },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ];
  });
  const delta = { stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null };
  return [
    { type: 'message_start', message },
    ...parts,
    { type: 'message_delta', delta, usage },
    { type: 'message_stop' },
  ];
}

/** Seconds of CPU until now, by the system's count of hundredths. */
function cpuOf({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function rssOf({ pid }: ChildProcess): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`;
}
