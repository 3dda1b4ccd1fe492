/** One entry in the client's configuration, and nothing else of it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addServer, removeServer } from '../../src/client/mcp/install.ts';
import { asArray, asObject, asString, at, type Json, parseJson } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { BIN, skein } from '../support/skein.ts';

describe('skein mcp install', () => {
  const config = (home: string): Json | undefined => parseJson(readFileSync(join(home, '.claude.json'), 'utf8'));

  test('adds one entry, keeps all else, its order and a copy; twice is once', () => {
    const home = tempFolder();
    const before = `${JSON.stringify({ numStartups: 3, mcpServers: { other: { command: 'x' } }, projects: { '/a': { allowedTools: [] } } }, null, 2)}`;
    writeFileSync(join(home, '.claude.json'), before);
    expect(skein(['mcp', 'install', '--dry-run'], { home }).code).toBe(0);
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(before);
    expect(skein(['mcp', 'install'], { home }).code).toBe(0);
    const after = config(home);
    expect(Object.keys(after ?? {})).toEqual(['numStartups', 'mcpServers', 'projects']);
    expect(at(after, 'mcpServers', 'other')).toEqual({ command: 'x' });
    expect(at(after, 'mcpServers', 'skein')).toEqual({ type: 'stdio', command: process.execPath, args: [BIN, 'mcp'] });
    expect(readFileSync(join(home, '.claude.json.before-skein'), 'utf8')).toBe(before);
    expect(skein(['mcp', 'install'], { home }).text).toContain('Nothing to do');
    expect(skein(['mcp', 'uninstall'], { home }).code).toBe(0);
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(before);
  });

  test('in the config folder when one is set, in the project when asked; made when it is not there', () => {
    const home = tempFolder();
    const folder = join(home, 'config');
    mkdirSync(folder);
    const json = skein(['mcp', 'install', '--json'], { home, env: { CLAUDE_CONFIG_DIR: folder } }).json();
    expect([asString(at(json, 'file')), at(json, 'changed')]).toEqual([join(folder, '.claude.json'), true]);
    expect(existsSync(join(home, '.claude.json'))).toBe(false);
    skein(['mcp', 'install', '--project'], { home, cwd: home });
    expect(at(parseJson(readFileSync(join(home, '.mcp.json'), 'utf8')), 'mcpServers', 'skein', 'type')).toBe('stdio');
  });

  test.each([
    ['{"a": 1.0}', 'more than our entry'],
    ['[1]', 'not a JSON object'],
    ['{"a"', 'it is not JSON'],
    ['\uFEFF{"a":1}', 'byte order mark'],
    ['{\n  // mine\n  "a": 1\n}', 'comments'],
    ['{"mcpServers":[]}', 'not an object'],
  ])('%j is not touched', (content, why) => {
    const home = tempFolder();
    for (const [name, scope, ...more] of [
      ['.claude.json', 'user'],
      ['.mcp.json', 'project', '--project'],
    ] as const) {
      writeFileSync(join(home, name), content);
      const { code, err } = skein(['mcp', 'install', ...more], { home, cwd: home });
      expect([code, err.includes('It was not touched.'), err.includes(why)]).toEqual([1, true, true]);
      expect(err).toContain(`--scope ${scope} skein`);
      expect(readFileSync(join(home, name), 'utf8')).toBe(content);
    }
  });

  test('how to do by hand what was asked is told: with its options, or taking it out', () => {
    const home = tempFolder();
    writeFileSync(join(home, '.mcp.json'), '[]');
    const asked = ['mcp', 'install', '--project', '--reveal', '--root', '/a b'];
    expect(skein(asked, { home, cwd: home }).err).toMatch(
      /Add the server by hand: claude mcp add --scope project skein -- .*skein mcp --root '\/a b' --reveal\n/,
    );
    expect(skein(['mcp', 'uninstall', '--project'], { home, cwd: home }).err).toContain(
      'Take it out by hand: claude mcp remove --scope project skein\n',
    );
  });

  test('a link that leads nowhere and a pipe are not touched', () => {
    const home = tempFolder();
    const file = join(home, '.claude.json');
    symlinkSync('not-mounted/claude.json', file);
    const lost = skein(['mcp', 'install'], { home });
    expect([lost.code, lost.err.includes('a link to not-mounted/claude.json, which is not there')]).toEqual([1, true]);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    unlinkSync(file);
    execFileSync('mkfifo', [file]);
    const pipe = skein(['mcp', 'install'], { home });
    expect([pipe.code, pipe.err.includes('it is no file')]).toEqual([1, true]);
  });

  test('lines that end as Windows ends them go on doing so', () => {
    const file = join(tempFolder(), '.claude.json');
    writeFileSync(file, '{\r\n\t"a": "\\n"\r\n}\r\n');
    addServer(file, { command: 'x', args: [] }, { dryRun: false, byHand: '' });
    const text = readFileSync(file, 'utf8');
    expect([text.startsWith('{\r\n\t"a": "\\n",\r\n\t"mcpServers"'), /[^\r]\n/.test(text)]).toEqual([true, false]);
  });

  test.each([
    '{\n  "mcpServers": {\n    "b": { "command": "npx", "args": ["-y", "z"] }\n  }\n}\n',
    '{"mcpServers": {"b": {"command": "npx", "args": ["-y", "z"]}}}\n',
    '{\r\n\t"z": 1,\r\n\t"l": [1, 2, 3]\r\n}',
    '{\n  "mcpServers": {}\n}\n',
    '{"a":1}',
    '{ }',
  ])('%j: what is written by hand stays as it is written, and comes back when ours is taken out', (before) => {
    const file = join(tempFolder(), '.mcp.json');
    writeFileSync(file, before);
    const options = { dryRun: false, byHand: '' };
    for (const args of [['mcp'], ['mcp', '--reveal']]) {
      expect(addServer(file, { command: '/bin/skein', args }, options).changed).toBe(true);
      const text = readFileSync(file, 'utf8');
      expect(at(parseJson(text), 'mcpServers', 'skein', 'args')).toEqual(args);
      for (const line of before.split(/\r?\n/)) expect(text).toContain(line.replace(/[{}\s]*$/, ''));
      expect(/(?<!\r)\n/.test(text)).toBe(text.includes('\n') && !before.includes('\r'));
    }
    expect(removeServer(file, options).changed).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('what was changed by hand since stays when ours is taken out', () => {
    const file = join(tempFolder(), '.mcp.json');
    writeFileSync(file, '{"mcpServers": {"b": {"args": ["-y", "z"]}}}\n');
    const options = { dryRun: false, byHand: '' };
    addServer(file, { command: '/bin/skein', args: ['mcp'] }, options);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"z"', '"z", "more"'));
    removeServer(file, options);
    expect(readFileSync(file, 'utf8')).toContain('{"mcpServers": {"b": {"args": ["-y", "z", "more"]}');
    expect(Object.keys(asObject(at(parseJson(readFileSync(file, 'utf8')), 'mcpServers')) ?? {})).toEqual(['b']);
  });

  test.each([
    ['mcp', 'install', '--project', '--dry-run'],
    ['hook', 'install', '--project', '--dry-run'],
  ])('in a folder that is gone %s writes nothing to another one', (...args) => {
    const home = tempFolder();
    mkdirSync(join(home, 'gone'));
    const script = `cd gone && rmdir ../gone && exec "$0" "$@"`;
    const env = { HOME: home, SKEIN_HOME: join(home, 'own'), PATH: process.env.PATH ?? '' };
    const ran = spawnSync('sh', ['-c', script, process.execPath, BIN, ...args], { cwd: home, env, encoding: 'utf8' });
    expect([ran.status, ran.stderr.includes('This folder is gone.')]).toEqual([1, true]);
  });

  test('a folder of that name, and a file without anything in it', () => {
    const home = tempFolder();
    mkdirSync(join(home, '.claude.json'));
    const { code, err } = skein(['mcp', 'install'], { home });
    expect([code, err.includes('a folder'), err.includes('jsonl')]).toEqual([1, true, false]);
    writeFileSync(join(home, '.mcp.json'), '\n');
    expect(skein(['mcp', 'install', '--project'], { home, cwd: home }).code).toBe(0);
    expect(at(parseJson(readFileSync(join(home, '.mcp.json'), 'utf8')), 'mcpServers', 'skein', 'type')).toBe('stdio');
  });

  test('what another program writes at the same moment stays', () => {
    const file = join(tempFolder(), '.claude.json');
    writeFileSync(file, '{"numStartups":1}');
    // Read when the configuration was read, and is not written yet.
    const args = Object.assign(['mcp'], {
      *[Symbol.iterator]() {
        writeFileSync(file, '{"numStartups":2}');
        yield 'mcp';
      },
    });
    expect(() => addServer(file, { command: 'skein', args }, { dryRun: false, byHand: '' })).toThrow('Run it again');
    expect(readFileSync(file, 'utf8')).toBe('{"numStartups":2}');
    addServer(file, { command: 'skein', args: ['mcp'] }, { dryRun: false, byHand: '' });
    expect(Object.keys(asObject(parseJson(readFileSync(file, 'utf8'))) ?? {})).toEqual(['numStartups', 'mcpServers']);
  });

  test("another program's server of the same name stays, whatever is asked", () => {
    const home = tempFolder();
    const theirs = '{"mcpServers":{"skein":{"type":"http","url":"http://127.0.0.1:1"}}}';
    writeFileSync(join(home, '.claude.json'), theirs);
    for (const action of ['install', 'uninstall']) {
      const { code, err } = skein(['mcp', action], { home });
      expect([code, err.includes('another server has the name "skein"')]).toEqual([1, true]);
    }
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(theirs);
  });

  test('an entry of ours from another place is replaced', () => {
    const home = tempFolder();
    const old = { mcpServers: { skein: { command: 'npx', args: ['skein', 'mcp'], env: { A: '1' } } } };
    writeFileSync(join(home, '.claude.json'), JSON.stringify(old));
    expect(skein(['mcp', 'install'], { home }).code).toBe(0);
    const expected = { command: process.execPath, args: [BIN, 'mcp'], env: { A: '1' }, type: 'stdio' };
    expect(at(config(home), 'mcpServers', 'skein')).toEqual(expected);
  });

  test('the server of a team is written with all it needs to start', () => {
    const args = (...more: string[]) => {
      const { text } = skein(['mcp', 'install', '--dry-run', '--json', ...more], { home: tempFolder() });
      return asArray(at(parseJson(text), 'server', 'args'))?.slice(1);
    };
    const team = ['--team', 'http://clickhouse.example:8123'];
    expect(args(...team, '--insecure')).toEqual(['mcp', ...team, '--insecure']);
    expect(args('--team', 'https://clickhouse.example')).toEqual(['mcp', '--team', 'https://clickhouse.example']);
    expect(args()).toEqual(['mcp']);
  });

  test('where to look is written too, for whatever folder the client is started in', () => {
    const home = tempFolder();
    const { text } = skein(['mcp', 'install', '--dry-run', '--json', '--root', 'sessions', '--root', '/elsewhere'], {
      home,
      cwd: home,
    });
    const roots = ['--root', join(home, 'sessions'), '--root', '/elsewhere'];
    expect(asArray(at(parseJson(text), 'server', 'args'))?.slice(1)).toEqual(['mcp', ...roots]);
  });

  test('every change leaves a copy of its own', () => {
    const home = tempFolder();
    const file = join(home, '.claude.json');
    writeFileSync(file, '{"a":1}');
    skein(['mcp', 'install'], { home });
    writeFileSync(file, '{"a":2}');
    expect(skein(['mcp', 'install'], { home }).text).toContain('.before-skein-2');
    const copies = ['', '-2'].map((end) => readFileSync(`${file}.before-skein${end}`, 'utf8'));
    expect(copies).toEqual(['{"a":1}', '{"a":2}']);
  });

  test('bytes that are no UTF-8 are not rewritten', () => {
    const file = join(tempFolder(), '.claude.json');
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    writeFileSync(file, bytes);
    expect(() => addServer(file, { command: 'x', args: [] }, { dryRun: false, byHand: '' })).toThrow('not UTF-8');
    expect(readFileSync(file)).toEqual(bytes);
  });

  test('strings of megabytes, and quotes and backslashes in them, stay as they are', () => {
    const file = join(tempFolder(), '.claude.json');
    const history = { a: 'x'.repeat(9e6), b: '\\" \\\\ "'.repeat(1e5), 'c\\': '  { " ' };
    writeFileSync(file, JSON.stringify(history, null, 4));
    expect(addServer(file, { command: 'x', args: [] }, { dryRun: false, byHand: '' }).changed).toBe(true);
    const { mcpServers, ...rest } = asObject(parseJson(readFileSync(file, 'utf8'))) ?? {};
    expect(at(mcpServers, 'skein', 'command')).toBe('x');
    expect(rest).toEqual(history);
  });
});
