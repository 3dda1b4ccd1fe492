/** The commands a search prints: they open, resume or restore what was found, and run as they stand. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asObject, asString, at } from '../../src/format/json.ts';
import { assistant, result, text, toJsonl, toolUse, user, uuidOf } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { rootWith, skein } from '../support/skein.ts';
import { home, SESSION } from './search-home.ts';

describe('what a search prints to be run', () => {
  test('the commands it gives lead to what was found', () => {
    const { run } = home();
    const [hit] = asArray(at(run(['search', '登录', '--json']).json(), 'hits')) ?? [];
    expect(at(hit, 'resume')).toBe(`cd /work/app && claude --resume ${SESSION}`);
    const shown = run((asString(at(hit, 'open')) ?? '').split(' ').slice(1));
    expect([shown.code, shown.text.includes('登录')]).toEqual([0, true]);
    const [answer] = asArray(at(run(['search', 'token', '--json']).json(), 'hits')) ?? [];
    expect(run((asString(at(answer, 'open')) ?? '').split(' ').slice(1)).text).toContain('the token is');
  });

  test.each([
    ['in:thinking', '--thinking'],
    ['in:input', '--tools full'],
    ['in:result', '--tools full'],
    ['in:answer', ''],
  ])('the command to open what was found shows it, folded as it may be else: %s', (filter, folded) => {
    const call = [toolUse('t', 'Bash', { command: 'ls' }), toolUse('u', 'Grep', { pattern: 'a', glob: 'an ibex' })];
    const said = [
      user('hello'),
      assistant([{ type: 'thinking', thinking: 'perhaps an ibex', signature: 's' }, text('no ibex'), ...call]),
      result('t', `${'one\n'.repeat(9)}an ibex`),
      result('u', 'none'),
    ].map((line, n) => ({ ...line, sessionId: SESSION, cwd: '/work/app', uuid: uuidOf(n + 1) }));
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl(said) }, writeFileSync);
    const { hits } = asObject(skein(['search', 'ibex', filter, '--json', '--root', root]).json()) ?? {};
    const [hit, ...others] = asArray(hits) ?? [];
    const open = asString(at(hit, 'open')) ?? '';
    expect([others, open.includes(folded)]).toEqual([[], true]);
    expect(skein(open.split(' ').slice(1)).text).toContain('ibex');
  });

  test('found by its title, a chat has its project and is resumed there', () => {
    const { run, root } = home();
    const file = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
    appendFileSync(file, toJsonl([{ type: 'custom-title', customTitle: 'Ibex days', sessionId: SESSION }]));
    for (const prepare of [[], ['archive', 'sync']]) {
      if (prepare.length > 0) run(prepare);
      const { text: shown } = run(['search', 'ibex']);
      expect(shown).toMatch(/^Ibex days {2}\/work\/app$/m);
      expect(shown).toContain(`  cd /work/app && claude --resume ${SESSION}\n`);
      expect(run(['search', 'ibex', '--json']).json()).toMatchObject({ hits: [{ cwd: '/work/app', time: null }] });
    }
  });

  test('the command to resume names the project, not where the model had gone; a chat that is gone is restored', () => {
    const { run, root } = home();
    const file = join(root, 'projects', '-work-app', `${SESSION}.jsonl`);
    const line = { ...user('ibex'), sessionId: SESSION, uuid: uuidOf(8), cwd: '/work/app/sub folder' };
    appendFileSync(file, toJsonl([line]));
    expect(run(['search', 'ibex']).text).toContain(`cd /work/app && claude --resume ${SESSION}`);
    run(['archive', 'sync']);
    rmSync(file);
    const gone = run(['search', 'ibex']).text;
    expect(gone).toContain(`skein archive restore ${SESSION}`);
    expect(gone).not.toContain('claude --resume');
    expect(run(['search', 'ibex', '--json']).json()).toMatchObject({ hits: [{ resume: null }] });
  });

  test('a place that is not there is told, with an index too, unless what lay there was kept', () => {
    const { run, root } = home();
    const [other, none] = [join(dirname(root), 'other'), join(dirname(root), 'none')];
    cpSync(root, other, { recursive: true });
    run(['archive', 'sync', '--root', root, '--root', other]);
    for (const more of [[], ['--scan'], ['--json']]) {
      const { err } = run(['search', 'login', '--root', none, ...more]);
      expect(err).toContain(`there is no such file or folder: ${none}`);
    }
    rmSync(other, { recursive: true });
    for (const more of [[], ['--scan']]) {
      const { err, text } = run(['search', 'login', '--root', other, ...more]);
      expect([err, text.includes('3 found')]).toEqual(['', true]);
    }
    expect(run(['search', 'login'], { CLAUDE_CONFIG_DIR: none }).err).toBe('');
  });

  test('found under another root, the command to resume names its config folder and runs as it is pasted', () => {
    const { run, root } = home();
    const other = join(tempFolder(), "it's $(touch x) & more");
    const file = join(other, 'projects', '-work-app', `${SESSION}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, toJsonl([{ ...user('ibex'), sessionId: SESSION, uuid: uuidOf(8), cwd: '/' }]));
    const bin = tempFolder();
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\nprintf "%s\\n" "$CLAUDE_CONFIG_DIR" "$@"\n', { mode: 0o755 });
    const ran = (command: string) =>
      execFileSync('sh', ['-c', command], { encoding: 'utf8', env: { PATH: `${bin}:${process.env.PATH}` } });
    const resumeOf = (args: readonly string[], env = {}) => {
      const [hit] = asArray(at(run(['search', 'ibex', '--json', ...args], env).json(), 'hits')) ?? [];
      return asString(at(hit, 'resume')) ?? '';
    };
    const named = resumeOf(['--root', other]);
    expect(ran(named)).toBe(`${other}\n--resume\n${SESSION}\n`);
    expect(run(['search', 'ibex', '--root', other]).text).toContain(`  ${named}\n`);
    // Below it, and from the shell in which the client would look there anyway.
    expect(resumeOf(['--root', dirname(file)])).toBe(named);
    expect(resumeOf([], { CLAUDE_CONFIG_DIR: other })).toBe(`cd / && claude --resume ${SESSION}`);
    const link = join(tempFolder(), 'link');
    symlinkSync(root, link);
    const [own] = asArray(at(run(['search', '登录', '--json', '--root', link]).json(), 'hits')) ?? [];
    expect(at(own, 'resume')).toBe(`cd /work/app && claude --resume ${SESSION}`);
  });

  test('what is printed to be copied runs as it stands, whatever the ids are', () => {
    const sessions = ['session-000000000000000001', 'session-000000000000000002', "odd; touch 'x' $(y)"];
    const more = { cwd: "/work/it's & more", timestamp: '2026-01-02T10:00:00Z' };
    const root = rootWith(
      Object.fromEntries(
        sessions.map((sessionId, n) => [
          `${sessionId}.jsonl`,
          toJsonl([{ ...user(`caracal ${n}`), ...more, sessionId, uuid: `msg-0000000000000000${n};touch x` }]),
        ]),
      ),
      writeFileSync,
    );
    const words = (command: string) => execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' });
    for (const [n, sessionId] of sessions.entries()) {
      const asked = ['search', `caracal ${n}`, '--root', root];
      const [, open = ''] = /^ {2}(skein show .*)$/m.exec(skein(asked).text) ?? [];
      expect(words(open)).toBe(
        `skein\nshow\n${sessionId}\n--turn\nmsg-0000000000000000${n};touch x\n--root\n${root}\n`,
      );
      const shown = skein(words(open).trimEnd().split('\n').slice(1));
      expect([shown.code, shown.text.includes(`caracal ${n}`)]).toEqual([0, true]);
      const [hit] = asArray(at(skein([...asked, '--json']).json(), 'hits')) ?? [];
      expect(asString(at(hit, 'open'))).toBe(open);
      const [cd = '', resume = ''] = asString(at(hit, 'resume'))?.split(` && CLAUDE_CONFIG_DIR=${root} claude`) ?? [];
      expect([words(cd), words(resume)]).toEqual([`cd\n${more.cwd}\n`, `--resume\n${sessionId}\n`]);
    }
  });

  test('an id that would be an option is in no command as one', () => {
    const root = rootWith({ '--danger.jsonl': toJsonl([{ ...user('caracal'), uuid: '--reveal' }]) }, writeFileSync);
    const { hits } = asObject(skein(['search', 'caracal', '--json', '--root', root]).json()) ?? {};
    expect(hits).toMatchObject([{ open: null, resume: `CLAUDE_CONFIG_DIR=${root} claude --resume=--danger` }]);
  });
});
