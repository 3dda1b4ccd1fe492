/** The rows of the hook: start to exit, with nothing new and with one new turn, archived and sent to a server on this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { ROOT } from './corpus.ts';
import { costBeside, costOf } from './measure.ts';

const HOME = join(ROOT, '.cache', 'bench', 'hook');
const SESSION = '11111111-2222-4333-8444-555555555555';
const RUNS = 20;
const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;

const SERVER = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

export async function benchHook({ node, skein, row }: Pick<Bench, 'node' | 'skein' | 'row'>): Promise<void> {
  const server = spawn(node, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(server.stdout, 'data');
    const project = join(HOME, '.claude', 'projects', '-work-app');
    const file = join(project, `${SESSION}.jsonl`);
    console.log('\nthe hook, start to exit');
    const run = (args: string) => `HOME=${HOME} SKEIN_HOME=${HOME}/skein ${node} ${skein} hook run ${args}`;
    const input = join(HOME, 'input');
    const before = `read n < ${HOME}/n; echo $((n + 1)) > ${HOME}/n; echo "$(<${HOME}/turn-$n)" >> ${file}`;
    const otlp = `--otlp http://127.0.0.1:${String(port).trim()}`;
    for (const [name, args] of [
      ['archived', '--archive'],
      ['sent', otlp],
      ['archived and sent', `--archive ${otlp}`],
    ] as const) {
      prepare(project, file);
      // The first run makes the archive and looks up prices.
      costOf(run(args), 2, { before, input });
      const start = `${node} -e 0`;
      const one = costBeside(start, run(args), RUNS, { before, input });
      row(`hook run, one new turn ${name}`, seconds(one.cost.cpu), one.cost.cpu / one.base.cpu, 'node -e 0', 3);
      const none = costBeside(start, run(args), RUNS, { input });
      row(`hook run, nothing new (${name})`, seconds(none.cost.cpu), none.cost.cpu / none.base.cpu, 'node -e 0', 3);
    }
  } finally {
    server.kill();
    rmSync(HOME, { recursive: true, force: true });
  }
}

/** A session, and the turns that are added to it one by one. */
function prepare(project: string, file: string): void {
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  const input = { hook_event_name: 'Stop', session_id: SESSION, transcript_path: file };
  writeFileSync(join(HOME, 'input'), JSON.stringify(input));
  writeFileSync(join(HOME, 'n'), '0\n');
  for (let turn = 0; turn < RUNS + 2; turn += 1) writeFileSync(join(HOME, `turn-${turn}`), turnText(turn));
}

function turnText(turn: number): string {
  const uuid = (part: number) => `00000000-0000-4000-8000-${String(turn * 4 + part).padStart(12, '0')}`;
  const began = Date.now() - 600_000 + turn * 10_000;
  const message = (id: string, content: object, stop: string) => {
    const usage = { input_tokens: 10, output_tokens: 5 };
    return {
      id: `msg_${id}${turn}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [content],
      stop_reason: stop,
      usage,
    };
  };
  const id = `toolu_${turn}`;
  const entries = [
    { type: 'user', message: { role: 'user', content: `List the files of part ${turn}.` } },
    {
      type: 'assistant',
      message: message('a', { type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }, 'tool_use'),
    },
    {
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'a.txt\nb.txt' }] },
    },
    { type: 'assistant', message: message('b', { type: 'text', text: 'There are two files.' }, 'end_turn') },
  ];
  const lines = entries.map((entry, part) =>
    JSON.stringify({
      ...entry,
      uuid: uuid(part),
      parentUuid: turn + part === 0 ? null : uuid(part - 1),
      sessionId: SESSION,
      timestamp: new Date(began + part * 1000).toISOString(),
      cwd: '/work/app',
      version: '2.1.325',
      isSidechain: false,
    }),
  );
  return lines.join('\n');
}
