/** One settings file, both clients: what is allowed, asked and denied. Nothing here does harm when it runs. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { realPlace } from '../../src/agent/permissions/resolve.ts';
import { asArray, asNumber, asObject, asString, isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { callOf, decideIn } from '../agent/permissions/folder.ts';
import { messagesRefused } from '../support/messages-api.ts';
import { calls, says, startScriptedModel } from '../support/scripted-model.ts';
import { clientCommand, NEWEST } from './clients.ts';
import { CASES, type Case, type Outcome } from './permissions.table.ts';

describe.each(CASES)('$name', (each) => {
  test('both decide the same, but for what is known', async () => {
    const { theirs, ours } = await decideBoth(each);
    const differences = each.calls.flatMap(([tool, told, known], i) => {
      const found = `${theirs[i]}/${ours[i]}`;
      const expected = known ?? `${theirs[i]}/${theirs[i]}`;
      return found === expected ? [] : [`${tool} ${told}: ${found} (the client/we), not ${expected}`];
    });
    expect(differences).toEqual([]);
  });
});

async function decideBoth(each: Case): Promise<{ theirs: Outcome[]; ours: Outcome[] }> {
  const around = realpathSync(mkdtempSync(join(tmpdir(), 'skein-interop-')));
  try {
    const [root, config] = [join(around, 'ws'), join(around, 'config')];
    for (const folder of [config, 'ws/src', 'ws/.git', 'ws/.claude', 'out'].map((name) =>
      join(around, name.replace(`${around}/`, '')),
    )) {
      mkdirSync(folder, { recursive: true });
    }
    for (const file of ['ws/a.txt', 'ws/.env', 'ws/src/b.ts', 'out/o.txt']) writeFileSync(join(around, file), 'x\n');
    const { allow = [], ask = [], deny = [], mode = 'default' } = each.set;
    writeFileSync(join(root, '.claude', 'settings.json'), JSON.stringify({ permissions: { allow, ask, deny } }));
    writeFileSync(join(config, 'settings.json'), JSON.stringify({ cleanupPeriodDays: 99_999 }));
    const projects = { [root]: { allowedTools: [], hasTrustDialogAccepted: true } };
    writeFileSync(join(config, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true, projects }));
    const world = { cwd: root, root, home: around, folders: [root], resolve: (path: string) => realPlace(path) };
    const ours = each.calls.map(([tool, told]) => decideIn(each.set, world, callOf(tool, told, around)).behaviour);
    return { ours, theirs: await outcomesOfClient(each, around, mode) };
  } finally {
    rmSync(around, { recursive: true, force: true });
  }
}

async function outcomesOfClient(each: Case, around: string, mode: string): Promise<Outcome[]> {
  const inputs = each.calls.map(([tool, told]) => inputOf(tool, told, around));
  const api = await startScriptedModel(
    (_, i) => (inputs[i] ? calls(each.calls[i]?.[0] ?? '', inputs[i]) : says('ok')),
    {
      isTurn: (body) => (asNumber(body.max_tokens) ?? 0) > 1 && (asArray(body.tools)?.length ?? 0) > 0,
      refuse: messagesRefused,
    },
  );
  const [program = '', ...args] = [
    ...clientCommand(NEWEST),
    '-p',
    'go',
    '--permission-mode',
    mode,
    '--output-format',
    'stream-json',
    '--verbose',
  ];
  const env = {
    ...{
      HOME: around,
      CLAUDE_CONFIG_DIR: join(around, 'config'),
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      SHELL: '/bin/bash',
    },
    ...{
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'sk-ant-dummy',
      HTTPS_PROXY: api.url,
      NO_PROXY: '127.0.0.1,localhost',
    },
    ...{
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
      TERM: 'dumb',
    },
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const printed = await new Promise<string>((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: join(around, 'ws'),
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 100_000,
    });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(parts).toString('utf8')));
  });
  await api.close();
  const results = printed.split('\n').flatMap(resultsIn);
  return each.calls.map((_, i) => outcomeOf(results[i]));
}

function inputOf(tool: string, told: string, around: string): JsonObject {
  const text = told.replaceAll('@/', `${around}/`);
  if (tool === 'Bash') return { command: text, description: 'x' };
  return {
    file_path: join(around, 'ws', text).replace(join(around, 'ws', around), around),
    ...(tool === 'Write' && { content: 'x' }),
  };
}

function resultsIn(line: string): JsonObject[] {
  if (!line.startsWith('{')) return [];
  const entry: Json = JSON.parse(line);
  const content = asArray(asObject(asObject(entry)?.message)?.content) ?? [];
  return content.filter(isObject).filter(({ type }) => type === 'tool_result');
}

/** By its words: a command that ran and failed is one that was allowed. */
function outcomeOf(result: JsonObject | undefined): Outcome {
  if (result === undefined) return 'none';
  const words = asString(result.content) ?? JSON.stringify(result.content);
  if (result.is_error !== true || /^Exit code \d/.test(words)) return 'allow';
  return /has been denied|is denied by|cannot be resolved statically while a Read\(\) deny rule/.test(words)
    ? 'deny'
    : 'ask';
}
