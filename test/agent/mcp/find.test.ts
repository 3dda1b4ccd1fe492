import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandServer } from '../../../src/agent/mcp/expand.ts';
import { type FoundServers, findServers, type McpSources } from '../../../src/agent/mcp/find.ts';
import { parseServers } from '../../../src/agent/mcp/parse.ts';
import { rememberApproval } from '../../../src/agent/mcp/remember.ts';
import { loadSettings } from '../../../src/agent/settings/load.ts';
import { keepRule } from '../../../src/cli/chat/keeprule.ts';
import { asObject, type Json } from '../../../src/format/json.ts';
import { tempFolder } from '../../support/files.ts';

interface Given extends Pick<McpSources, 'flags' | 'strict' | 'sources'> {
  /** By path below the folder of the work, `~/…` or `managed/…`; CWD stands for that folder. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly git?: boolean;
}

interface Found extends FoundServers {
  readonly cwd: string;
  /** Name, and what it is started with. */
  readonly commands: Readonly<Record<string, string>>;
  readonly off: readonly string[];
}

const run = (command: string) => ({ command });
const ALL = { '~/.claude/settings.json': { enableAllProjectMcpServers: true } };

async function found({ files = {}, env = {}, git = false, ...more }: Given): Promise<Found> {
  const root = realpathSync(tempFolder());
  const [home, cwd] = [join(root, 'home'), join(root, 'ws', 'sub')];
  const config = join(home, '.claude');
  for (const folder of [config, cwd]) mkdirSync(folder, { recursive: true });
  if (git) execFileSync('git', ['init', '-q', dirname(cwd)]);
  const above = [home, cwd, join(root, 'managed')];
  for (const [path, content] of Object.entries(files)) {
    const [first = '', ...rest] = path.split('/');
    const base = { '~': above[0], managed: above[2] }[first];
    const file = base === undefined ? join(cwd, path) : join(base, ...rest);
    mkdirSync(dirname(file), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(file, text.replaceAll('CWD', cwd).replaceAll('TOP', dirname(cwd)));
  }
  const place = { cwd, home, config, managed: join(root, 'managed') };
  const settings = await loadSettings({ ...place, print: true });
  const made = findServers({ ...place, env, settings, ...more });
  const commands = [...made.servers].map(([name, server]) => [
    name,
    'command' in server ? server.command : server.type,
  ]);
  const off = [...made.servers].flatMap(([name, server]) => (server.off === undefined ? [] : [name]));
  return { ...made, cwd, commands: Object.fromEntries(commands), off };
}

describe('where servers are named', () => {
  test('the nearest wins: flag, local, project, user; of projects the nearest folder', async () => {
    const { commands, notices } = await found({
      files: {
        ...ALL,
        '~/.claude.json': {
          mcpServers: { a: run('a-user'), b: run('b-user'), c: run('c-user'), d: run('d-user') },
          projects: { CWD: { mcpServers: { a: run('a-local') } } },
        },
        '.mcp.json': { mcpServers: { a: run('a-project'), b: run('b-project') } },
        '../.mcp.json': { mcpServers: { b: run('b-above'), e: run('e-above') } },
      },
      flags: [JSON.stringify({ mcpServers: { d: run('d-flag') } })],
    });
    expect(commands).toEqual({ a: 'a-local', b: 'b-project', c: 'c-user', d: 'd-flag', e: 'e-above' });
    expect(notices).toEqual([]);
  });

  test('local ones are those of the repository', async () => {
    const projects = { TOP: { mcpServers: { top: run('x') } }, CWD: { mcpServers: { sub: run('x') } } };
    const files = { '~/.claude.json': { projects } };
    expect(Object.keys((await found({ files, git: true })).commands)).toEqual(['top']);
    expect(Object.keys((await found({ files })).commands)).toEqual(['sub']);
  });

  test('--strict-mcp-config and --setting-sources leave places out, managed-mcp.json all others', async () => {
    const files = {
      ...ALL,
      '~/.claude.json': { mcpServers: { u: run('u') }, projects: { CWD: { mcpServers: { l: run('l') } } } },
      '.mcp.json': { mcpServers: { p: run('p') } },
      'flag.json': { mcpServers: { f: run('f') } },
    };
    const flags = ['flag.json'];
    expect(Object.keys((await found({ files, flags, strict: true })).commands)).toEqual(['f']);
    expect(Object.keys((await found({ files, flags, sources: ['user'] })).commands)).toEqual(['u', 'f']);
    expect(Object.keys((await found({ files, sources: [] })).commands)).toEqual([]);
    const managed = { ...files, 'managed/managed-mcp.json': { mcpServers: { m: run('m') } } };
    expect(Object.keys((await found({ files: managed, flags })).commands)).toEqual(['m']);
  });

  test('one that the client turned off for the project is there and off', async () => {
    const state = { mcpServers: { u: run('u') }, projects: { CWD: { disabledMcpServers: ['u'] } } };
    expect((await found({ files: { '~/.claude.json': state } })).off).toEqual(['u']);
  });
});

describe('what is wrong with one leaves the others alone', () => {
  test('each is told with its file and its name', async () => {
    const { commands, notices, cwd } = await found({
      files: {
        ...ALL,
        '.mcp.json': {
          mcpServers: {
            a: { command: 5 },
            b: run('fine'),
            c: { type: 'weird' },
            d: { url: 'http://x' },
            e: { command: 'x', args: [1] },
            f: 'text',
            g: { type: 'http', url: 'file:///x' },
            h: { type: 'http', url: 'https://x', headers: { a: 1 } },
            i: { command: 'x', env: [] },
          },
        },
        '../.mcp.json': '{nope',
      },
    });
    expect(commands).toEqual({ b: 'fine' });
    const file = join(cwd, '.mcp.json');
    expect(notices).toEqual([
      `${join(dirname(cwd), '.mcp.json')} is no JSON object; none of its MCP servers is used.`,
      `${file}: the MCP server "a" is left out: it has no command.`,
      `${file}: the MCP server "c" is left out: its type is "weird", and stdio, http and sse are known.`,
      `${file}: the MCP server "d" is left out: it has a url and no type; add "type": "http".`,
      `${file}: the MCP server "e" is left out: its args are no list of texts.`,
      `${file}: the MCP server "f" is left out: it is no object.`,
      `${file}: the MCP server "g" is left out: its url is no http or https address.`,
      `${file}: the MCP server "h" is left out: its headers are no object of texts.`,
      `${file}: the MCP server "i" is left out: its env is no object of texts.`,
    ]);
  });

  test.each([
    ['/nowhere.json', 'There is no file /nowhere.json.'],
    ['{"x":1}', 'What was given has no object mcpServers.'],
    ['{', 'What was given is no JSON object.'],
  ])('a flag that nothing can be made of is refused: %s', async (flag, refused) => {
    expect((await found({ flags: [flag] })).refused).toBe(refused);
  });

  test('variables are put in; what is not set is told', async () => {
    const server = {
      type: 'http',
      url: `https://\${HOST:-example.com}/x`,
      headers: { authorization: `Bearer \${TOKEN}` },
    };
    const local = { command: `\${BIN}/run`, args: [`\${A:-b}`, `\${MISSING}`], env: { KEY: `\${TOKEN}` } };
    const flags = [JSON.stringify({ mcpServers: { server, local } })];
    const { servers, notices } = await found({ flags, env: { TOKEN: 't', BIN: '/bin' } });
    expect(servers.get('server')).toMatchObject({
      url: 'https://example.com/x',
      headers: { authorization: 'Bearer t' },
    });
    expect(servers.get('local')).toMatchObject({ command: '/bin/run', args: ['b', `\${MISSING}`], env: { KEY: 't' } });
    expect(notices).toEqual(['The MCP server "local" of --mcp-config names what is not set: MISSING.']);
  });
});

describe('servers of a project need approval', () => {
  const project = { '.mcp.json': { mcpServers: { p: run('p'), q: run('q') } } };
  const trusted = { '~/.claude.json': { projects: { CWD: { hasTrustDialogAccepted: true } } } };

  test('without it they are not started, with a word', async () => {
    const { off, unapproved } = await found({ files: project });
    expect(off).toEqual(['p', 'q']);
    expect(unapproved[0]).toMatch(/"p" of .*\.mcp\.json was not started: nobody approved it.*enabledMcpjsonServers/);
  });

  test('the person says so; one that was turned down is not there', async () => {
    const settings = { enabledMcpjsonServers: ['p', 'q'], disabledMcpjsonServers: ['q'] };
    const { off, commands } = await found({ files: { ...project, '~/.claude/settings.json': settings } });
    expect([off, commands]).toEqual([[], { p: 'p' }]);
  });

  test('the word of the project itself counts where the folder is trusted', async () => {
    const own = { ...project, '.claude/settings.json': { enableAllProjectMcpServers: true } };
    expect((await found({ files: own })).off).toEqual(['p', 'q']);
    expect((await found({ files: { ...own, ...trusted } })).off).toEqual([]);
  });

  test('an answer is remembered in the local settings, beside what stands there', async () => {
    const { cwd } = await found({
      files: { '.claude/settings.local.json': { model: 'opus', disabledMcpjsonServers: ['p'] } },
    });
    expect(rememberApproval(cwd, 'p', true)).toContain('settings.local.json');
    const file = join(cwd, '.claude', 'settings.local.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      model: 'opus',
      disabledMcpjsonServers: [],
      enabledMcpjsonServers: ['p'],
    });
    writeFileSync(file, '{broken');
    expect(() => rememberApproval(cwd, 'p', true)).toThrow('no JSON object');
    expect(() => keepRule(cwd, 'Bash(ls)')).toThrow('no JSON object');
    expect(readFileSync(file, 'utf8')).toBe('{broken');
    // One that cannot be read is not written over.
    rmSync(file);
    symlinkSync('settings.local.json', file);
    expect(() => rememberApproval(cwd, 'p', true)).toThrow('ELOOP');
    expect(() => keepRule(cwd, 'Bash(ls)')).toThrow('ELOOP');
  });
});

test('whatever stands in a configuration, reading it gives servers and words', () => {
  const config = fc.dictionary(fc.string(), fc.jsonValue());
  const odd = fc.dictionary(
    fc.string(),
    fc.record(
      {
        type: fc.constantFrom('stdio', 'http', 'sse', 'sdk', 5),
        url: fc.jsonValue(),
        command: fc.jsonValue(),
        args: fc.jsonValue(),
        env: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.oneof(config, odd), (value) => {
      const all: Json = JSON.parse(JSON.stringify(value));
      const { servers, problems } = parseServers(all, 'flag', 'here');
      for (const server of servers.values()) expandServer(server, { A: 'b' });
      expect(servers.size + problems.length).toBe(Object.keys(asObject(all) ?? {}).length);
    }),
  );
});

test('deniedMcpServers and allowedMcpServers hold for every place', async () => {
  const servers = { a: run('a'), b: { command: 'b', args: ['x'] }, c: { type: 'http', url: 'https://c.example/mcp' } };
  const flags = [JSON.stringify({ mcpServers: servers })];
  const denied = [{ serverName: 'a' }, { serverUrl: 'https://c.example/*' }];
  const files = { '~/.claude/settings.json': { deniedMcpServers: denied } };
  expect(Object.keys((await found({ flags, files })).commands)).toEqual(['b']);
  const allowed = { 'managed/managed-settings.json': { allowedMcpServers: [{ serverCommand: ['b', 'x'] }] } };
  const { commands, notices } = await found({ flags, files: allowed });
  expect(Object.keys(commands)).toEqual(['b']);
  expect(notices).toHaveLength(2);
});

test('what a project allows adds nothing; managed settings may have the only word; a name is not enough where commands are listed', async () => {
  const flags = [JSON.stringify({ mcpServers: { a: run('a'), b: run('b') } })];
  const lists = (managed: unknown, ...others: [string, unknown][]) =>
    found({ flags, files: { 'managed/managed-settings.json': managed, ...Object.fromEntries(others) } });
  const [a, both] = [[{ serverName: 'a' }], [{ serverName: 'a' }, { serverName: 'b' }]];
  const wider: [string, unknown] = ['.claude/settings.json', { allowedMcpServers: both }];
  expect(Object.keys((await lists({ allowedMcpServers: a }, wider)).commands)).toEqual(['a']);
  const users: [string, unknown] = ['~/.claude/settings.json', { allowedMcpServers: both }];
  expect(Object.keys((await lists({ allowedMcpServers: a }, users)).commands)).toEqual(['a', 'b']);
  const only = { allowedMcpServers: a, allowManagedMcpServersOnly: true };
  expect(Object.keys((await lists(only, users)).commands)).toEqual(['a']);
  const byCommand = { allowedMcpServers: [...both, { serverCommand: ['b'] }] };
  const { commands, forbidden } = await lists(byCommand);
  expect(Object.keys(commands)).toEqual(['b']);
  // Those that an editor or a program names later, too.
  expect(forbidden('b', { type: 'stdio', command: 'evil', scope: 'acp' })).toMatch(/allowedMcpServers/);
});

test('a project that nobody trusted does not say where servers of the user are', async () => {
  const files = {
    '~/.claude.json': { mcpServers: { u: { type: 'http', url: `https://\${HOST:-own.example}/mcp` } } },
    '.claude/settings.json': { env: { HOST: 'evil.example' } },
  };
  expect((await found({ files })).servers.get('u')).toMatchObject({ url: 'https://own.example/mcp' });
  const trusted = {
    ...files,
    '~/.claude.json': { ...files['~/.claude.json'], projects: { CWD: { hasTrustDialogAccepted: true } } },
  };
  expect((await found({ files: trusted })).servers.get('u')).toMatchObject({ url: 'https://evil.example/mcp' });
});

test('a file that is none is told of, and does not hold anybody up', async () => {
  const { notices, servers } = await found({ files: { '.mcp.json/inside': '' } });
  expect([...servers]).toEqual([]);
  expect(notices).toEqual([expect.stringMatching(/\.mcp\.json cannot be read \(it is no file\)/)]);
});
