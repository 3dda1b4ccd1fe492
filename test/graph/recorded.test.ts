import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/format/entry.ts';
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { pairToolCalls } from '../../src/graph/toolcalls.ts';
import { promptTextOf, turnsOf } from '../../src/graph/turns.ts';
import type { Turn } from '../../src/graph/types.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';

const RECORDED = `${FIXTURES}recorded/`;

function recordings(): [string, string][] {
  return readdirSync(RECORDED).flatMap((version) =>
    readdirSync(join(RECORDED, version)).map((scenario): [string, string] => [version, scenario]),
  );
}

function entriesIn(file: string): readonly Entry[] {
  return readSession(readFileSync(file), file).entries;
}

describe('recordings: every turn', () => {
  function lineOf(turn: Turn): string {
    const calls = turn.toolCalls.map((call) => `${call.name} ${call.status}`).join(', ');
    const prompt = promptTextOf(turn).replace(/\s+/g, ' ').slice(0, 60);
    return [
      `${turn.number} ${turn.kind} ${turn.round} ${turn.state} "${prompt}" messages ${turn.messages.length}`,
      calls,
    ]
      .filter(Boolean)
      .join(' | ');
  }

  function golden(version: string, scenario: string): string {
    const root = join(RECORDED, version, scenario, 'projects');
    const parts = transcriptsBelow(root).map((file) => {
      const list = turnsOf(entriesIn(file));
      // Agents that were only warmed up say nothing of turns.
      const isWarmup =
        basename(file).startsWith('agent-') &&
        list.every(({ messages, kind }) => kind === 'none' || messages.length < 2) &&
        !list.some(({ toolCalls }) => toolCalls.length > 0);
      return list.length === 0 || isWarmup ? '' : `# ${relative(root, file)}\n${list.map(lineOf).join('\n')}\n`;
    });
    return parts.filter(Boolean).join('\n');
  }

  test.each(recordings())('%s %s', (version, scenario) => {
    const file = join(FIXTURES, 'golden/turns', version, `${scenario}.txt`);
    const now = golden(version, scenario);
    if (process.env.UPDATE) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, now);
    }
    expect(now).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '(no golden file: run with UPDATE=1)');
  });
});

interface Step {
  readonly name: string;
  readonly prompt: string;
  readonly resumes: boolean;
  /** The main transcripts that grew, each as it stood after the step. */
  readonly grown: readonly (readonly Entry[])[];
}

/** The steps of a recording that were run as `claude -p PROMPT`. */
function printSteps(version: string, scenario: string): Step[] {
  const folder = join(RECORDED, version, scenario);
  const steps = Object.entries(asObject(parseJson(readFileSync(join(folder, 'sent.json'), 'utf8'))) ?? {});
  let before: JsonObject = {};
  return steps.flatMap(([name, step]) => {
    const after = isObject(step) ? (asObject(step.linesAfter) ?? {}) : {};
    const argv = isObject(step) ? (asArray(step.argv) ?? []) : [];
    const grown = Object.entries(after).filter(
      ([file, lines]) => before[file] !== lines && lines !== 0 && !file.includes('agent-'),
    );
    before = after;
    const prompt = argv.includes('-p') ? asString(argv[argv.indexOf('-p') + 1]) : undefined;
    if (prompt === undefined) return [];
    const resumes = argv.includes('--resume') || argv.includes('--continue');
    const read = grown.map(([file, lines]) => entriesIn(join(folder, 'projects', file)).slice(0, Number(lines)));
    return [{ name: `${version} ${scenario} ${name}`, prompt, resumes, grown: read }];
  });
}

describe('recordings: what was prompted', () => {
  const steps = recordings()
    .flatMap(([version, scenario]) => printSteps(version, scenario))
    .filter(({ grown }) => grown.length === 1);

  /** What these versions do not keep of a command. */
  const TYPED: Record<string, string> = { '/demo now': '/demo', '/nosuchcmd hi': '/nosuchcmd' };

  test('E7: the last turn after each step is the prompt of that step', () => {
    for (const { name, prompt, grown } of steps) {
      const typed = promptTextOf(turnsOf(grown[0] ?? []).at(-1) ?? expect.fail(name));
      if (typed !== prompt) expect([name, typed]).toEqual([name, TYPED[prompt]]);
    }
    expect(steps.length).toBeGreaterThan(150);
  });

  test('a resumed step is a resume, any other a new session', () => {
    for (const { name, resumes, grown } of steps) {
      expect([name, turnsOf(grown[0] ?? []).at(-1)?.round]).toEqual([name, resumes ? 'resume' : 'new_session']);
    }
  });

  test('T6: after a step that ended, every turn is over', () => {
    for (const { name, grown } of steps) {
      const list = turnsOf(grown[0] ?? [], { stopped: true });
      if (!name.includes('l-interrupted')) expect([name, ...list.map(({ state }) => state)]).not.toContain('open');
    }
  });

  const interactive = recordings().filter(([version, scenario]) => scenario.startsWith('k-') && version !== '1.0.111');
  test.each(interactive)('E8: the turns are what the history of typed prompts has, %s %s', (version, scenario) => {
    const folder = join(RECORDED, version, scenario);
    const typed = readFileSync(join(folder, 'history.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => asObject(parseJson(line)) ?? {});
    for (const id of new Set(typed.map((line) => asString(line.sessionId) ?? ''))) {
      const [file] = transcriptsBelow(join(folder, 'projects')).filter((path) => path.endsWith(`${id}.jsonl`));
      // These are written to the next file, or not at all.
      const isWritten = (prompt: string) => !/^\/(cost|exit|clear|branch)/.test(prompt);
      const own = typed
        .filter((line) => line.sessionId === id)
        .map((line) => (asString(line.display) ?? '').trim())
        .filter(isWritten);
      const prompts = turnsOf(entriesIn(file ?? ''))
        .map(promptTextOf)
        .filter(isWritten);
      expect(prompts.slice(-own.length)).toEqual(own);
    }
  });
});

describe('recordings: tool calls', () => {
  /** Name and status of every call below a scenario; copies in later files count once. */
  function recorded(version: string, scenario: string): string[] {
    const entries = transcriptsBelow(`${FIXTURES}recorded/${version}/${scenario}/projects`).flatMap(
      (file) => readSession(readFileSync(file), file).entries,
    );
    const { calls, issues } = pairToolCalls(entries);
    expect(issues).toEqual([]);
    return calls.map((call) => `${call.name} ${call.status}`).sort();
  }

  test.each(['1.0.111', '2.0.50', '2.0.76', '2.1.45', '2.1.325'])('e-toolerror: errors and a denial, %s', (version) => {
    expect(recorded(version, 'e-toolerror')).toEqual([
      'Bash error',
      'Bash error',
      'Edit error',
      'NoSuchTool error',
      'Read error',
      'Read error',
      'Read ok',
      'Write denied',
    ]);
  });

  test.each(['1.0.111', '2.0.76', '2.1.45', '2.1.325'])('k-perm: one allowed, one denied, %s', (version) => {
    // 1.0.111 had no such tool.
    const asked = version === '1.0.111' ? 'AskUserQuestion error' : 'AskUserQuestion ok';
    expect(recorded(version, 'k-perm')).toEqual([asked, 'Read ok', 'Write denied', 'Write ok']);
  });

  test.each(['1.0.111', '2.0.76', '2.1.45', '2.1.325'])(
    'k-interactive: interrupted and in the background, %s',
    (version) => {
      expect(recorded(version, 'k-interactive')).toEqual([
        'Bash background',
        'Bash interrupted',
        'Bash ok',
        'Bash ok',
        'Edit ok',
        'Read ok',
        'Write ok',
      ]);
    },
  );

  test.each([
    ['1.0.111', 'Bash pending'],
    ['2.0.76', 'Bash pending'],
    ['2.1.45', 'Bash pending'],
    ['2.1.325', 'Bash interrupted'],
  ])('l-interrupted: the client was killed, %s', (version, bash) => {
    expect(recorded(version, 'l-interrupted')).toEqual([bash, 'Read ok']);
  });

  test('j-hooks: a call blocked by a hook is denied', () => {
    for (const version of ['2.0.76', '2.1.45', '2.1.325'])
      expect(recorded(version, 'j-hooks')).toContain('Bash denied');
  });

  test.each(['2.0.76', '2.1.45', '2.1.80', '2.1.325'])('L3, d-agent: each Task names its agent, %s', (version) => {
    const files = transcriptsBelow(`${FIXTURES}recorded/${version}/d-agent/projects`);
    const calls = files.flatMap((file) => pairToolCalls(readSession(readFileSync(file), file).entries).calls);
    const agents = calls.filter(({ name }) => name === 'Task' || name === 'Agent').map(({ agentId }) => agentId);
    expect(agents.length).toBe(3);
    for (const agent of agents) expect(files.some((file) => file.endsWith(`agent-${agent}.jsonl`))).toBe(true);
  });
});
