/** The example of docs/sdk.md runs as it stands there. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { calls, says, toolUse } from '../support/scripted-model.ts';
import { BIN } from '../support/skein.ts';
import { exampleFile, installSdk, onStage } from './sdk.ts';

test('docs/sdk.md', async () => {
  installSdk();
  const page = readFileSync(new URL('../../docs/sdk.md', import.meta.url), 'utf8');
  const code = /```js\n(.*?)```/s.exec(page)?.[1] ?? '';
  // Beside the package, so that its import finds it.
  const file = exampleFile(`example-${process.pid}.mjs`);
  writeFileSync(file, code);
  onTestFinished(() => rmSync(file));
  const script = [
    calls('mcp__weather__now', { town: 'Bergen' }),
    says([
      toolUse('Write', { file_path: 'weather.txt', content: 'Rain' }),
      toolUse('Bash', { command: 'touch elsewhere' }),
    ]),
    says('It rains.'),
  ];
  const { facts, requests } = await onStage('skein', script, async ({ cwd, env }) => {
    const PATH = `${dirname(BIN)}:${env.PATH}`;
    const out = await run(file, cwd, { ...env, PATH });
    return { out, written: readFileSync(join(cwd, 'weather.txt'), 'utf8') };
  });
  expect(facts.out.split('\n')).toEqual([
    'may it use mcp__weather__now?',
    'may it use Write?',
    'may it use Bash?',
    expect.stringMatching(/^success It rains\. 0\.\d+$/),
    '',
  ]);
  expect(facts.written).toBe('Rain');
  const results = requests
    .at(-1)
    ?.messages.flatMap(({ content }) => [...content])
    .filter(({ type }) => type === 'tool_result');
  expect(JSON.stringify(results?.[0])).toContain('Rain in Bergen, as ever.');
  expect(JSON.stringify(results?.[2])).toContain('No commands.');
}, 60_000);

function run(file: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', () => resolve(out));
  });
}
