/** The demo set is what its script makes, and no part of it is damaged. UPDATE=1 writes it anew. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { demoFiles } from '../scripts/demo/set.ts';
import { DEMO, writeDemo } from '../scripts/make-demo.ts';
import { blocksOf } from '../src/format/content.ts';
import { type Entry, jsonOf } from '../src/format/entry.ts';
import { asString, at, type JsonObject, parseJson } from '../src/format/json.ts';
import { readSession, writeSession } from '../src/format/session.ts';
import { projectSlug } from '../src/format/slug.ts';
import { transcriptsBelow } from './support/files.ts';

if (process.env.UPDATE) writeDemo(DEMO);

interface Transcript {
  readonly name: string;
  readonly file: string;
  readonly entries: readonly Entry[];
  readonly lines: readonly JsonObject[];
}

const transcripts: Transcript[] = transcriptsBelow(join(DEMO, 'projects')).map((file) => {
  const { entries } = readSession(readFileSync(file), file);
  return { name: relative(DEMO, file), file, entries, lines: entries.map((entry) => jsonOf(entry) ?? {}) };
});
const sessions = transcripts.filter(({ name }) => !name.includes('/subagents/'));
const agents = transcripts.filter(({ name }) => name.includes('/subagents/'));

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

function useIds({ lines }: Transcript): string[] {
  return lines.flatMap(blocksOf).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function resultIds({ lines }: Transcript): string[] {
  // A stored request repeats what was sent (E14).
  const said = lines.filter((line) => line.type === 'user');
  return said.flatMap(blocksOf).flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []));
}

/** Entries that go on in more than one way, parallel calls and attachments left aside (H3). */
function forks({ lines }: Transcript): string[] {
  const prompts = lines.filter((line) => line.type === 'user' && line.toolUseResult === undefined);
  const parents = prompts.flatMap((line) => asString(line.parentUuid) ?? []);
  return parents.filter((parent, index) => parents.indexOf(parent) !== index);
}

test('the committed files are what the script makes', () => {
  const made = demoFiles();
  const files = readdirSync(DEMO, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  const paths = files.map((item) => relative(DEMO, join(item.parentPath, item.name)));
  expect(paths.sort()).toEqual([...made.keys()].sort());
  for (const [path, text] of made) expect(readFileSync(join(DEMO, path), 'utf8') === text, path).toBe(true);
});

test('it is small, and holds six chats in three projects', () => {
  const bytes = [...demoFiles().values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeLessThan(610_000);
  expect(sessions).toHaveLength(7);
  expect(new Set(sessions.map(({ file }) => dirname(file))).size).toBe(3);
  expect(agents).toHaveLength(4);
});

test.each(transcripts)('$name: every line is readable and known', ({ file, entries }) => {
  expect(entries.filter(({ kind }) => kind === 'unreadable' || kind === 'blank' || kind === 'unknown')).toEqual([]);
  const bytes = readFileSync(file);
  expect(bytes.equals(writeSession({ file, entries }))).toBe(true);
});

test.each(transcripts)('$name: one root, every parent is there, no uuid twice', ({ lines }) => {
  const chained = lines.filter((line) => 'parentUuid' in line);
  const uuids = chained.map((line) => asString(line.uuid) ?? '');
  for (const uuid of uuids) expect(uuid).toMatch(new RegExp(`^${ID}$`));
  expect(new Set(uuids).size).toBe(uuids.length);
  const parents = chained.flatMap((line) => asString(line.parentUuid) ?? asString(line.logicalParentUuid) ?? []);
  expect(parents.filter((parent) => !uuids.includes(parent))).toEqual([]);
  // W2: only the first entry and a compaction have no parent.
  const roots = chained.filter((line) => line.parentUuid === null && line.subtype !== 'compact_boundary');
  expect(roots).toEqual([chained[0]]);
});

test.each(transcripts)('$name: every call has one result, and every result its call', (transcript) => {
  expect(resultIds(transcript).sort()).toEqual(useIds(transcript).sort());
});

test.each(transcripts)('$name: name, folder and entries agree (L2)', ({ name, lines }) => {
  const [, slug = '', session = ''] = name.split('/');
  for (const line of lines) {
    if (line.sessionId !== undefined) expect(line.sessionId).toBe(session.replace(/\.jsonl$/, ''));
    if (line.cwd !== undefined) expect(projectSlug(asString(line.cwd) ?? '')).toBe(slug);
  }
});

test('one chat has a branch, and its last-prompt pins the second one (R2)', () => {
  const forked = sessions.filter((session) => forks(session).length > 0);
  expect(forked).toHaveLength(1);
  const lines = forked[0]?.lines ?? [];
  const pin = lines.findLast((line) => line.type === 'last-prompt')?.leafUuid;
  expect(lines.findLast((line) => typeof line.uuid === 'string')?.uuid).toBe(pin);
});

test('one chat was compacted near the limit and goes on (C1)', () => {
  const compacted = sessions.filter(({ lines }) => lines.some((line) => line.subtype === 'compact_boundary'));
  expect(compacted).toHaveLength(1);
  const lines = compacted[0]?.lines ?? [];
  const index = lines.findIndex((line) => line.subtype === 'compact_boundary');
  expect(Number(at(lines[index], 'compactMetadata', 'preTokens'))).toBeGreaterThan(160_000);
  expect(lines[index + 1]).toMatchObject({ isCompactSummary: true, parentUuid: lines[index]?.uuid });
  expect(lines.slice(index + 2).some((line) => line.type === 'assistant')).toBe(true);
});

test('every agent is attached to a call, one of them to a call of another agent (L3)', () => {
  const calls = new Set(transcripts.flatMap(useIds));
  const metas = agents.map(({ file }) => parseJson(readFileSync(file.replace(/\.jsonl$/, '.meta.json'), 'utf8')));
  for (const meta of metas) expect(calls).toContain(at(meta, 'toolUseId'));
  const parents = metas.flatMap((meta) => asString(at(meta, 'parentAgentId')) ?? []);
  expect(parents).toHaveLength(1);
  expect(agents.map(({ file }) => basename(file))).toContain(`agent-${parents[0]}.jsonl`);
});

test('the resumed session starts with copies of the older one (H1)', () => {
  const old = sessions.filter(({ lines }) => lines.some((line) => line.version === '1.0.111'));
  const [first, second] = old.sort((a, b) => a.lines.length - b.lines.length).map(({ lines }) => lines);
  const uuids = (lines: readonly JsonObject[] = []) => lines.flatMap((line) => asString(line.uuid) ?? []);
  expect(uuids(second).slice(0, uuids(first).length)).toEqual(uuids(first));
  expect(second?.[0]).toMatchObject({ type: 'summary', leafUuid: uuids(first).at(-1) });
});

test('every saved output and checkpoint that is named is there (L4)', () => {
  const made = demoFiles();
  for (const { lines } of sessions) {
    for (const line of lines) {
      const saved = asString(at(line.toolUseResult, 'persistedOutputPath'));
      if (saved) expect(made.has(saved.replace('/home/ada/.claude/', '')), saved).toBe(true);
    }
  }
  const named = [...made].flatMap(([path, text]) => {
    const session = /([^/]+)\.jsonl$/.exec(path)?.[1];
    const names = [...text.matchAll(/"backupFileName":"([^"]+)"/g)].map((match) => match[1]);
    return names.map((name) => `file-history/${session}/${name}`);
  });
  expect([...new Set(named)].sort()).toEqual([...made.keys()].filter((path) => path.startsWith('file-history/')));
});
