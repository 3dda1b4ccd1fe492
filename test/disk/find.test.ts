import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSessions, type SessionFile } from '../../src/disk/find.ts';
import { folderFs, io, ioSince } from '../../src/disk/io.ts';
import { parentSessionOf } from '../../src/disk/parent.ts';
import { findRoots } from '../../src/disk/roots.ts';
import { agentMetaOf } from '../../src/disk/sidecars.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';
import { line, lines, plant, systemError } from './helpers.ts';

const RECORDED = join(FIXTURES, 'recorded');

function find(...given: string[]) {
  return findSessions(findRoots({ given, env: {}, home: '/' }).roots);
}

function recordedRoots(): string[] {
  return readdirSync(RECORDED).flatMap((version) =>
    readdirSync(join(RECORDED, version)).map((scenario) => join(RECORDED, version, scenario)),
  );
}

function brief(files: readonly SessionFile[], root: string) {
  return files.map(({ file, kind, parentSessionId }) => [relative(root, file), kind, parentSessionId]);
}

describe('recorded roots', () => {
  test('L1 L3 L6: every transcript of every version is found once, by names alone', () => {
    const before = { ...io };
    const found = find(...recordedRoots());
    expect(ioSince(before)).toMatchObject({ opens: 0, bytesRead: 0 });
    expect(found.problems).toEqual([]);
    const expected = recordedRoots().flatMap((root) => transcriptsBelow(join(root, 'projects')));
    expect(found.files.map((file) => file.file).sort()).toEqual(expected.sort());
    const kinds = Map.groupBy(found.files, (file) => file.kind);
    expect([kinds.get('session')?.length, kinds.get('agent')?.length]).toEqual([217, 200]);
  });

  test('L3 1.0.x: side chains are inline, so there are no agent files', () => {
    const { files } = find(join(RECORDED, '1.0.111/d-agent'));
    expect(files.map((file) => file.kind)).toEqual(['session', 'session', 'session']);
  });

  test('L3 2.0.x: agents beside the session; their entries tell the parent', () => {
    const { files } = find(join(RECORDED, '2.0.76/d-agent'));
    const agents = files.filter((file) => file.kind === 'agent');
    expect(agents.length).toBeGreaterThan(5);
    for (const agent of agents) {
      expect(agent.agentId).toMatch(/^a?[0-9a-f]{6,8}$/);
      expect(agent.sessionId).toBe(`agent-${agent.agentId}`);
      expect(agent.parentSessionId).toBeUndefined();
    }
    const parents = new Set(agents.map((agent) => parentSessionOf(agent.file)));
    expect([...parents]).toEqual(['cc7d7cd1-248d-4970-8cff-66e5c1932f7b']);
  });

  test('L3 from 2.1.5: agents in the folder of their session', () => {
    const { files } = find(join(RECORDED, '2.1.45/d-agent'));
    const sessions = new Set(files.filter((file) => file.kind === 'session').map((file) => file.sessionId));
    const agents = files.filter((file) => file.kind === 'agent');
    expect(agents.length).toBeGreaterThan(0);
    for (const agent of agents) {
      expect(sessions.has(agent.parentSessionId ?? '')).toBe(true);
      expect(parentSessionOf(agent.file)).toBe(agent.parentSessionId);
    }
  });

  test('L3 from 2.1.80: agents with a meta file that names the tool call', () => {
    const { files } = find(join(RECORDED, '2.1.325/d-agent'));
    const agents = files.filter((file) => file.kind === 'agent');
    expect(agents.length).toBe(3);
    for (const agent of agents) {
      expect(agent.metaFile).toBe(agent.file.replace(/\.jsonl$/, '.meta.json'));
      expect(agentMetaOf(agent)).toMatchObject({ agentType: 'general-purpose', spawnDepth: 1 });
      expect(agentMetaOf(agent)?.toolUseId).toMatch(/^toolu_/);
    }
  });

  test('L1: a name that is no uuid is a session all the same', () => {
    const { files } = find(join(RECORDED, '2.1.325/m-seed003-verbatim'));
    expect(files.map((file) => file.sessionId)).toContain('sess-001');
  });

  test('L6: empty files are listed', () => {
    const { files } = find(join(RECORDED, '2.0.76/b-parallel'));
    expect(files.filter((file) => file.bytes === 0).map((file) => file.sessionId)).toEqual([
      '4cea78a0-636f-4ed4-87f2-4832c162fe90',
    ]);
  });
});

describe('layouts', () => {
  test('L3: <slug>/subagents, deeper nesting, agents whose session is gone', () => {
    const root = tempFolder();
    plant(root, {
      'projects/-p/s1.jsonl': lines('a'),
      'projects/-p/subagents/agent-wild.jsonl': lines('b'),
      'projects/-p/s1/subagents/agent-a1.jsonl': lines('c'),
      'projects/-p/s1/subagents/agent-a1.meta.json': '{}',
      'projects/-p/s1/subagents/runs/r1/agent-a2.jsonl': lines('d'),
      'projects/-p/s1/subagents/agent-a1/subagents/agent-a3.jsonl': lines('e'),
      'projects/-p/s1/subagents/notes.jsonl': lines('x'),
      'projects/-p/gone/subagents/agent-a4.jsonl': lines('f'),
      'projects/-p/memory/notes.md': 'x',
    });
    expect(brief(find(root).files, join(root, 'projects/-p'))).toEqual([
      ['gone/subagents/agent-a4.jsonl', 'agent', 'gone'],
      ['s1.jsonl', 'session', undefined],
      ['s1/subagents/agent-a1.jsonl', 'agent', 's1'],
      ['s1/subagents/agent-a1/subagents/agent-a3.jsonl', 'agent', 's1'],
      ['s1/subagents/runs/r1/agent-a2.jsonl', 'agent', 's1'],
      ['subagents/agent-wild.jsonl', 'agent', undefined],
    ]);
  });

  test('L2: slugs of Windows paths, and files that lie in projects/ itself', () => {
    const root = tempFolder();
    plant(root, {
      'projects/E--a/s1.jsonl': lines('a'),
      'projects/C--Users-me-app/s2.jsonl': '',
      'projects/s3.jsonl': '',
    });
    const found = find(root).files.map(({ slug, sessionId }) => [slug, sessionId]);
    expect(found).toEqual([
      ['C--Users-me-app', 's2'],
      ['E--a', 's1'],
      ['', 's3'],
    ]);
  });

  test('L3: a session given by its path brings its own agents, of all layouts, and itself first', () => {
    const root = tempFolder();
    plant(root, {
      'projects/-p/s1.jsonl': lines('a'),
      'projects/-p/s2.jsonl': lines('b'),
      'projects/-p/s1/subagents/agent-a1.jsonl': lines('c'),
      'projects/-p/s2/subagents/agent-a2.jsonl': lines('d'),
      'projects/-p/agent-a3.jsonl': `${line('e', { sessionId: 's1' })}\n`,
      'projects/-p/agent-a4.jsonl': `${line('f', { sessionId: 's2' })}\n`,
      'projects/-p/agent-a5.jsonl': '',
    });
    const folder = join(root, 'projects/-p');
    expect(brief(find(join(folder, 's1.jsonl')).files, folder)).toEqual([
      ['s1.jsonl', 'session', undefined],
      ['agent-a3.jsonl', 'agent', 's1'],
      ['s1/subagents/agent-a1.jsonl', 'agent', 's1'],
    ]);
    expect(brief(find(join(folder, 's2/subagents/agent-a2.jsonl')).files, folder)).toEqual([
      ['s2/subagents/agent-a2.jsonl', 'agent', 's2'],
    ]);
  });

  test('L3: a session of 2.0.76 given by its path brings the agents its entries name', () => {
    const folder = join(RECORDED, '2.0.76/d-agent/projects/-home-dev-ws-2-0-76-d-agent');
    const { files } = find(join(folder, 'cc7d7cd1-248d-4970-8cff-66e5c1932f7b.jsonl'));
    expect(files.length).toBe(10);
    expect(find(join(folder, '80fd4a6d-e8b4-4108-b737-543736c1d034.jsonl')).files.length).toBe(1);
  });

  test('the order does not depend on the order the system lists names in', () => {
    const root = tempFolder();
    plant(root, { 'projects/-b/1.jsonl': '', 'projects/-a/2.jsonl': '', 'projects/-a/1.jsonl': '' });
    const { roots } = findRoots({ given: [root], env: {}, home: '/' });
    const list = (folder: string) => {
      const { names, kinds } = folderFs.list(folder);
      return { names: names.toReversed(), kinds: kinds.toReversed() };
    };
    const reversed = { ...folderFs, list };
    expect(findSessions(roots, { fs: reversed })).toEqual(findSessions(roots));
  });

  test('several roots: in the order given', () => {
    const [one, two] = [tempFolder(), tempFolder()];
    plant(one, { 'projects/-p/b.jsonl': '' });
    plant(two, { 'projects/-p/a.jsonl': '' });
    expect(find(one, two).files.map(({ root, sessionId }) => [root, sessionId])).toEqual([
      [one, 'b'],
      [two, 'a'],
    ]);
  });
});

describe('links and troubles', () => {
  test('links to files and folders are followed', () => {
    const [root, elsewhere] = [tempFolder(), tempFolder()];
    plant(elsewhere, { 'proj/s1.jsonl': lines('a'), 's2.jsonl': lines('b'), 'agents/agent-a1.jsonl': lines('c') });
    plant(root, { 'projects/-p/s3.jsonl': '' });
    symlinkSync(join(elsewhere, 'proj'), join(root, 'projects/-linked'));
    symlinkSync(join(elsewhere, 's2.jsonl'), join(root, 'projects/-p/s2.jsonl'));
    mkdirSync(join(root, 'projects/-p/s3'));
    symlinkSync(join(elsewhere, 'agents'), join(root, 'projects/-p/s3/subagents'));
    const { files, problems } = find(root);
    expect(brief(files, join(root, 'projects'))).toEqual([
      ['-linked/s1.jsonl', 'session', undefined],
      ['-p/s2.jsonl', 'session', undefined],
      ['-p/s3.jsonl', 'session', undefined],
      ['-p/s3/subagents/agent-a1.jsonl', 'agent', 's3'],
    ]);
    expect(problems).toEqual([]);
  });

  test('paths are in their order also where only folders are links', () => {
    const [root, elsewhere] = [tempFolder(), tempFolder()];
    plant(elsewhere, { 'proj/s1.jsonl': '' });
    plant(root, {
      'projects/-p/s.jsonl': '',
      'projects/-p/s/subagents/agent-a.jsonl': '',
      'projects/-p/s-2.jsonl': '',
    });
    symlinkSync(join(elsewhere, 'proj'), join(root, 'projects/-linked'));
    expect(find(root).files.map(({ file }) => relative(root, file))).toEqual([
      'projects/-linked/s1.jsonl',
      'projects/-p/s-2.jsonl',
      'projects/-p/s.jsonl',
      'projects/-p/s/subagents/agent-a.jsonl',
    ]);
  });

  test('the same file reached twice is listed once, under its real name, and told', () => {
    const root = tempFolder();
    plant(root, { 'projects/-p/z.jsonl': lines('a') });
    symlinkSync('z.jsonl', join(root, 'projects/-p/a.jsonl'));
    symlinkSync('-p', join(root, 'projects/-a'));
    const { files, problems } = find(root);
    expect(brief(files, root)).toEqual([['projects/-p/z.jsonl', 'session', undefined]]);
    expect(problems.map(({ kind, where }) => [kind, relative(root, where)])).toEqual([
      ['twice', 'projects/-p/a.jsonl'],
      ['twice', 'projects/-a'],
    ]);
  });

  test('a link to a file that comes before it or after it', () => {
    const root = tempFolder();
    plant(root, { 'projects/-b/z.jsonl': '', 'projects/-b/y.jsonl': '' });
    plant(root, { 'projects/-a/other.jsonl': '', 'projects/-c/other2.jsonl': '' });
    symlinkSync('../-b/z.jsonl', join(root, 'projects/-a/z.jsonl'));
    symlinkSync('../-b/y.jsonl', join(root, 'projects/-c/y.jsonl'));
    const { files, problems } = find(root);
    expect(files.map(({ file }) => relative(root, file))).toEqual([
      'projects/-a/other.jsonl',
      'projects/-a/z.jsonl',
      'projects/-b/y.jsonl',
      'projects/-c/other2.jsonl',
    ]);
    expect(problems.map(({ kind, where }) => [kind, relative(root, where)])).toEqual([
      ['twice', 'projects/-b/z.jsonl'],
      ['twice', 'projects/-c/y.jsonl'],
    ]);
  });

  test('roots that overlap list nothing twice', () => {
    const root = tempFolder();
    plant(root, { 'projects/-p/a.jsonl': '', 'projects/-q/b.jsonl': '' });
    const { files, problems } = find(root, root, join(root, 'projects/-p'), join(root, 'projects/-q/b.jsonl'));
    expect(files.map((file) => file.sessionId)).toEqual(['a', 'b']);
    expect(problems.map((problem) => problem.kind)).toEqual(['twice', 'twice', 'twice']);
  });

  test('circles of links end', () => {
    const root = tempFolder();
    plant(root, { 'projects/-p/s1.jsonl': '', 'projects/-p/s1/subagents/agent-a1.jsonl': '', 'history.jsonl': '{}\n' });
    symlinkSync('..', join(root, 'projects/-up'));
    symlinkSync('.', join(root, 'projects/-here'));
    symlinkSync('../..', join(root, 'projects/-p/s1/subagents/up'));
    symlinkSync('self', join(root, 'projects/-p/self'));
    symlinkSync('b', join(root, 'projects/-p/a'));
    symlinkSync('a', join(root, 'projects/-p/b'));
    const { files, problems } = find(root);
    expect(files.map((file) => file.sessionId)).toEqual(['s1', 'agent-a1']);
    expect(problems.map(({ kind, where }) => [kind, relative(root, where)]).sort()).toEqual([
      ['link-loop', 'projects/-p/a'],
      ['link-loop', 'projects/-p/b'],
      ['link-loop', 'projects/-p/self'],
      ['twice', 'projects/-here'],
      ['twice', 'projects/-p/s1/subagents/up'],
      ['twice', 'projects/-up'],
    ]);
  });

  test('a link to nothing and a folder named like a session are told, the rest is found', () => {
    const root = tempFolder();
    plant(root, { 'projects/-p/s1.jsonl': '', 'projects/-p/folder.jsonl/x': '' });
    symlinkSync('/nowhere/at/all', join(root, 'projects/-p/s2.jsonl'));
    symlinkSync('/nowhere/at/all', join(root, 'projects/-q'));
    const { files, problems } = find(root);
    expect(files.map((file) => file.sessionId)).toEqual(['s1']);
    expect(problems.map(({ kind, where }) => [kind, relative(root, where)])).toEqual([
      ['dangling-link', 'projects/-q'],
      ['dangling-link', 'projects/-p/s2.jsonl'],
      ['not-a-file', 'projects/-p/folder.jsonl'],
    ]);
  });

  test('folders and files that cannot be read are told, the rest is found', () => {
    const root = tempFolder();
    plant(root, { 'projects/-p/s1.jsonl': '', 'projects/-p/s2.jsonl': '', 'projects/-q/s3.jsonl': '' });
    const { roots } = findRoots({ given: [root], env: {}, home: '/' });
    const list = (folder: string) => {
      if (folder.endsWith('-q')) throw systemError('EACCES');
      return folderFs.list(folder);
    };
    const stat = (path: string) => {
      if (path.endsWith('s2.jsonl')) throw systemError('EIO');
      return folderFs.stat(path);
    };
    const { files, problems } = findSessions(roots, { fs: { ...folderFs, list, stat } });
    expect(files.map((file) => file.sessionId)).toEqual(['s1']);
    expect(problems.map(({ kind, code }) => [kind, code])).toEqual([
      ['unreadable', 'EIO'],
      ['unreadable', 'EACCES'],
    ]);
  });

  test('what is known is asked for once a folder, and not looked at', () => {
    const root = tempFolder();
    plant(root, {
      'projects/-p/s1.jsonl': '',
      'projects/-p/s2.jsonl': '',
      'projects/-p/notes.md': '',
      'projects/-q/s3.jsonl': '',
    });
    const asked: (readonly string[])[] = [];
    const unknownIn = (folder: string, names: readonly string[]) => {
      asked.push([relative(root, folder), ...names]);
      return names.filter((name) => name === 's2.jsonl');
    };
    const { roots } = findRoots({ given: [root], env: {}, home: '/' });
    const before = { ...io };
    const { files } = findSessions(roots, { unknownIn });
    expect(ioSince(before).stats).toBe(1);
    expect(files.map(({ sessionId }) => sessionId)).toEqual(['s2']);
    expect(asked.filter((each) => each.length > 1)).toEqual([
      ['projects/-p', 's1.jsonl', 's2.jsonl'],
      ['projects/-q', 's3.jsonl'],
    ]);
  });

  test('where a link leads to a file, a known one that was reached by it is no second file', () => {
    const root = tempFolder();
    plant(root, { 'projects/-a/x.jsonl': '', 'projects/-b/y.jsonl': '', 'projects/-b/z.jsonl': '' });
    symlinkSync('../-b/z.jsonl', join(root, 'projects/-a/z.jsonl'));
    const { roots } = findRoots({ given: [root], env: {}, home: '/' });
    const all = findSessions(roots);
    const some = findSessions(roots, { unknownIn: (_, names) => names.filter((name) => name === 'z.jsonl') });
    expect(some.files).toEqual(all.files.filter(({ sessionId }) => sessionId === 'z'));
    expect(some.files).toHaveLength(1);
    expect(some.problems).toEqual(all.problems);
  });

  test('a config root whose projects is a file, and one without any', () => {
    const root = tempFolder();
    plant(root, { projects: 'x' });
    expect(find(root)).toMatchObject({ files: [], problems: [{ code: 'ENOTDIR' }] });
    expect(find(tempFolder())).toMatchObject({ files: [], problems: [] });
  });
});
