import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bash } from '../../../src/agent/tools/bash.ts';
import { scriptOf } from '../../../src/agent/tools/shell/script.ts';
import { toolOutputsOf } from '../../../src/disk/outputs.ts';
import { toToolResult } from '../../../src/graph/toolresults/read.ts';
import { tempFolder } from '../../support/files.ts';
import { call, isRunning, LIMITS, testSession, until } from './shell-host.ts';

describe('what a command printed', () => {
  it('has the recorded shape, both streams in the order they were written (2.1.325 b-parallel)', async () => {
    const session = testSession();
    const { text, result, isError } = await call(bash, session, { command: 'echo third >&2; echo out' });
    expect(text).toBe('third\nout');
    expect(isError).toBeUndefined();
    expect(result).toEqual({
      stdout: 'third\nout',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    });
    expect(toToolResult('Bash', result)).toMatchObject({ kind: 'bash', stdout: 'third\nout' });
  });

  it('is an error with its status, as recorded (2.1.325 e-toolerror)', async () => {
    const session = testSession();
    const failed = await call(bash, session, { command: 'echo partial; echo bad >&2; exit 3' });
    expect(failed).toMatchObject({
      content: 'Exit code 3\npartial\nbad',
      result: 'Error: Exit code 3\npartial\nbad',
      isError: true,
    });
    expect(await call(bash, session, { command: 'exit 1' })).toMatchObject({ content: 'Exit code 1', isError: true });
  });

  it('says so when it is nothing, and takes /dev/stdout and /dev/stderr by name', async () => {
    const session = testSession();
    expect((await call(bash, session, { command: 'true' })).text).toBe('The command printed nothing.');
    const named = await call(bash, session, { command: 'echo a; echo b > /dev/stderr; echo c | tee /dev/stdout' });
    expect(named.text).toBe('a\nb\nc\nc');
  });

  it('is text: no colours, no NUL, invalid UTF-8 marked, characters whole across writes', async () => {
    const session = testSession();
    const command = `printf '\\033[31mred\\033[0m \\000|\\377|'; printf '\\344\\270'; sleep 0.05; printf '\\255😀\\033[3'; sleep 0.05; printf '2mgreen\\033[m\\n'`;
    expect((await call(bash, session, { command })).text).toBe('red |�|中😀green');
  });

  it('of many lines comes whole', async () => {
    const { text } = await call(bash, testSession({ limits: { ...LIMITS, outputChars: 1 << 20 } }), {
      command: 'seq 1 10000',
    });
    expect(text.split('\n')).toHaveLength(10_000);
    expect(text.endsWith('\n10000')).toBe(true);
  });

  it('too long is saved beside the session, in the recorded form, and found again (L4, 2.1.325 c-edits)', async () => {
    const session = testSession();
    const { text, result } = await call(bash, session, { command: 'printf "x%.0s" $(seq 1 45000)' });
    const typed = toToolResult('Bash', result);
    if (typed.kind !== 'bash') throw new Error(typed.kind);
    const path = typed.persistedOutputPath ?? '';
    expect(text).toBe(
      `<persisted-output>\nOutput too large (43.9KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n${'x'.repeat(2000)}\n...\n</persisted-output>`,
    );
    expect(typed.persistedOutputSize).toBe(45_000);
    expect(typed.stdout.length).toBeLessThan(LIMITS.outputChars + 200);
    expect(toolOutputsOf([session.transcript])(path)).toBe('x'.repeat(45_000));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('too long and failed: beginning, end, and where the rest is', async () => {
    const session = testSession();
    const { text } = await call(bash, session, { command: 'seq 1 20000; exit 2' });
    expect(text).toMatch(/^Exit code 2\n1\n2\n/);
    expect(text).toMatch(/\n20000$/);
    const path = /all of it stands in (\S+)\]/.exec(text)?.[1] ?? '';
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(20_000);
  });

  it('that cannot be saved costs its middle, not the call', async () => {
    const session = testSession({
      spill: () => {
        throw new Error('the disk is full');
      },
    });
    const { text, isError } = await call(bash, session, { command: 'seq 1 20000' });
    expect(isError).toBeUndefined();
    expect(text).toContain('characters left out here; they could not be saved: the disk is full');
    expect(text.startsWith('1\n2\n')).toBe(true);
    expect(text.endsWith('\n20000')).toBe(true);
  });

  it('with a pull request just made says so in the result (2.1.325 k-interactive)', async () => {
    const session = testSession();
    const url = 'https://github.com/fake-org/fake-repo/pull/42';
    const { result } = await call(bash, session, { command: `gh() { echo ${url}; }; gh pr create --title x --body y` });
    expect(result).toMatchObject({ gitOperation: { pr: { number: 42, url, action: 'created' } } });
  });

  it('is told while it runs', async () => {
    const { progress } = await call(bash, testSession(), { command: 'seq 1 7; sleep 0.3; echo end' });
    expect(progress).toContainEqual({
      type: 'bash_progress',
      output: '4\n5\n6\n7\n',
      fullOutput: '1\n2\n3\n4\n5\n6\n7\n',
      elapsedTimeSeconds: expect.any(Number),
      totalLines: 7,
    });
  });
});

describe('what can be asked', () => {
  it.each([
    ['heredoc', "cat <<'X'\na'b\"c $HOME\nX", 'a\'b"c $HOME'],
    ['comment at the end', 'echo a # comment', 'a'],
    ['quotes and backslashes', `echo "it's" '\\' "\\""`, `it's \\ "`],
    ['dash first', '-x 2>/dev/null || echo no', 'no'],
    ['unicode', 'echo 中文 ünï 👩‍👩‍👧', '中文 ünï 👩‍👩‍👧'],
    ['no positional parameters', 'echo "[$1$#]"', '[0]'],
    ['closed output', 'echo a; exec 1>&- 2>&-; sleep 0.01', 'a'],
    ['end of input', 'cat; read x || echo eof', 'eof'],
    ['a function called pwd', 'pwd() { echo fake; }; echo a', 'a'],
    ['its own trap', 'trap "echo bye" EXIT; echo a', 'a\nbye'],
  ])('%s', async (_, command, expected) => {
    expect((await call(bash, testSession(), { command })).text).toBe(expected);
  });

  it('quotes that do not close are the shell’s own error', async () => {
    const { text, isError } = await call(bash, testSession(), { command: 'echo "a' });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Exit code \d+\n.*unexpected EOF/);
  });

  it('a command of 300 kB', async () => {
    const command = `echo '${'ä'.repeat(150_000)}' | wc -c`;
    expect((await call(bash, testSession(), { command })).text.trim()).toBe('300001');
  });

  it('a here-document of anything comes out as it went in (property)', () => {
    const folder = tempFolder();
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[\0\n]/g, "'"));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        const text = lines.map((each) => `${each}\n`).join('');
        const script = scriptOf(`cat <<'END OF IT'\n${text}END OF IT`, join(folder, "c'wd"));
        expect(spawnSync('/bin/bash', ['-c', script], { encoding: 'utf8' }).stdout).toBe(text);
      }),
      { numRuns: 25 },
    );
  });

  it.each(['sh', 'bash', 'zsh', 'dash'].filter((name) => spawnSync(name, ['-c', 'true']).status === 0))(
    'the script is one that %s understands',
    (shell) => {
      const folder = tempFolder();
      const file = join(folder, "it's here");
      const ran = spawnSync(shell, ['-c', scriptOf('set -u; cd /; echo "a"; exit 4', file)], { encoding: 'utf8' });
      expect([ran.status, ran.stdout, ran.stderr, readFileSync(file, 'utf8')]).toEqual([4, 'a\n', '', '/\n']);
    },
  );

  it('a NUL in the command is refused in words', async () => {
    expect(await call(bash, testSession(), { command: 'echo \0' })).toMatchObject({
      isError: true,
      content: expect.stringContaining('NUL'),
    });
  });

  it('a bad input is refused in words', async () => {
    expect(bash.refuse({ command: 7 })).toContain('command');
    expect((await call(bash, testSession(), {})).isError).toBe(true);
  });

  it('no temporary file stays behind', async () => {
    const session = testSession();
    const tmp = tempFolder();
    const before = process.env.TMPDIR;
    process.env.TMPDIR = tmp;
    try {
      await call(bash, session, { command: `echo '${'x'.repeat(150_000)}' | wc -c; cd /` });
      await session.shells.close();
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    expect(readdirSync(tmp)).toEqual([]);
  });
});

describe('the working directory', () => {
  it('stays where cd left it, also by exit, not by a subshell', async () => {
    const session = testSession();
    mkdirSync(join(session.root, 'a b', "c'd"), { recursive: true });
    await call(bash, session, { command: 'cd "a b"; exit 3' });
    expect(session.cwd).toBe(join(session.root, 'a b'));
    await call(bash, session, { command: '(cd ..)' });
    expect(session.cwd).toBe(join(session.root, 'a b'));
    expect((await call(bash, session, { command: "cd c\\'d; pwd" })).text).toBe(join(session.root, 'a b', "c'd"));
    expect(session.cwd).toBe(join(session.root, 'a b', "c'd"));
    await call(bash, session, { command: 'set -e; cd ..; false; cd ..' });
    expect(session.cwd).toBe(join(session.root, 'a b'));
  });

  it('outside of the project goes back, with a word; other folders of the work count as inside', async () => {
    const other = tempFolder();
    const session = testSession({ folders: [other] });
    const { text, result } = await call(bash, session, { command: 'cd /; pwd' });
    expect(text).toBe(`/\nThe working directory is ${session.root} again: / lies outside of the project.`);
    expect(result).toMatchObject({ stdout: '/', stderr: expect.stringContaining('outside') });
    expect(session.cwd).toBe(session.root);
    await call(bash, session, { command: `cd ${other}` });
    expect(session.cwd).toBe(other);
  });

  it('of a project behind a link keeps the name of the link', async () => {
    const real = testSession().root;
    mkdirSync(join(real, 'sub'));
    const link = join(tempFolder(), 'link');
    symlinkSync(real, link);
    const session = testSession({ root: link, cwd: link });
    await call(bash, session, { command: 'cd sub' });
    expect(session.cwd).toBe(join(link, 'sub'));
    await call(bash, session, { command: 'cd "$PWD"/..' });
    expect(session.cwd).toBe(link);
  });

  it('that vanished is the root again, with a word', async () => {
    const session = testSession();
    mkdirSync(join(session.root, 'gone'));
    expect((await call(bash, session, { command: 'cd gone; rmdir ../gone; echo a' })).text).toMatch(/^a/);
    expect(session.cwd).toBe(session.root);
    mkdirSync(join(session.root, 'later'));
    await call(bash, session, { command: 'cd later' });
    rmdirSync(session.cwd);
    const { text } = await call(bash, session, { command: 'pwd' });
    expect(text.split('\n')[0]).toBe(session.root);
    expect(text).toContain('is gone; it is');
  });
});

describe('ending', () => {
  it('a command that takes too long is ended with its children, and what it printed is told', async () => {
    const session = testSession();
    const command = "trap '' TERM; sleep 100 & echo $! $$; sleep 100";
    const { text, isError } = await call(bash, session, { command, timeout: 500 });
    const pids = (/(\d+) (\d+)$/.exec(text) ?? []).slice(1).map(Number);
    expect(isError).toBe(true);
    expect(text).toBe(`Exit code 137\nThe command took longer than 0.5 s and was ended.\n${pids.join(' ')}`);
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  it('an interrupt ends it and says so', async () => {
    const session = testSession();
    const stop = new AbortController();
    const running = call(bash, session, { command: 'echo $$; touch ready; sleep 100' }, stop.signal);
    await until(() => readdirSync(session.root).includes('ready'));
    stop.abort();
    const { text, result, isError } = await running;
    expect(text).toMatch(/^Exit code 143\n\[Request interrupted by user for tool use\]\n\d+$/);
    expect(result).toMatchObject({ interrupted: true, stdout: text.split('\n')[2] });
    expect(isError).toBe(true);
    expect(isRunning(Number(text.split('\n')[2]))).toBe(false);
  });

  it('an interrupt before it began starts nothing', async () => {
    const session = testSession();
    const { result } = await call(bash, session, { command: 'touch made' }, AbortSignal.abort());
    expect(result).toMatchObject({ interrupted: true });
    expect(readdirSync(session.root)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('children in sessions of their own and orphans are found', async () => {
    const session = testSession();
    const command =
      'setsid sleep 66.101 & (setsid sh -c "sleep 66.102 & echo \\$!" &); env -i setsid sleep 66.103 & echo $!; wait';
    const { text } = await call(bash, session, { command, timeout: 800 });
    const pids = [...text.matchAll(/^\d+$/gm)].map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.map(isRunning)).toEqual([false, false]);
    const { text: left } = await call(bash, session, { command: 'pgrep -fx "sleep 66.10[123]" || true' });
    expect(left).toBe('The command printed nothing.');
  });

  it('what is left running holds neither the call nor its pipe, and ends with the session', async () => {
    const session = testSession();
    const command = '(while echo tick; do sleep 0.02; done) & echo $!; env -i sleep 100 & echo $!';
    const started = await call(bash, session, { command });
    const pids = (started.text.match(/^\d+$/gm) ?? []).map(Number);
    await call(bash, session, { command: 'sleep 0.15' });
    expect(pids.map(isRunning)).toEqual([true, true]);
    await session.shells.close();
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  it('one that has stopped itself, or keeps starting others, is ended too', async () => {
    const session = testSession();
    expect((await call(bash, session, { command: 'kill -STOP $$', timeout: 50 })).text).toContain('Exit code 137');
    const command = "trap '' TERM; for i in 1 2 3 4 5; do (trap '' TERM; while :; do sleep 77.125; done) & done; wait";
    await call(bash, session, { command, timeout: 100 });
    expect((await call(bash, session, { command: 'pgrep -fx "sleep 77.125" || echo none' })).text).toBe('none');
  });

  it('a shell that a signal ended says which', async () => {
    const { text } = await call(bash, testSession(), { command: 'echo a; kill -SEGV $$' });
    expect(text).toBe('Exit code 139\nThe shell was ended by the signal SIGSEGV.\na');
  });

  it('limits of time come from the environment, and none goes above the highest', async () => {
    const session = testSession({
      env: { PATH: process.env.PATH, BASH_DEFAULT_TIMEOUT_MS: '100', BASH_MAX_TIMEOUT_MS: '200' },
    });
    expect((await call(bash, session, { command: 'sleep 5' })).text).toContain('longer than 0.1 s');
    expect((await call(bash, session, { command: 'sleep 5', timeout: 9000 })).text).toContain('longer than 0.2 s');
  });

  it('a shell that cannot be started is an error in words', async () => {
    const session = testSession();
    const env = { ...session.env, BIG: 'x'.repeat(3 << 20) };
    const { text, isError } = await call(bash, { ...session, env }, { command: 'true' });
    expect(isError).toBe(true);
    expect(text).toMatch(/^The command could not be started: .*E2BIG/);
  });
});
