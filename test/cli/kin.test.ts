import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { io, ioSince } from '../../src/disk/io.ts';
import { asArray, asString, at, type Json } from '../../src/format/json.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';

/** The sessions of a recording, each moved to a project folder of its own. */
function scattered(recording: string): { root: string; files: string[] } {
  const root = tempFolder();
  const projects = join(FIXTURES, 'recorded', recording, 'projects');
  const files = readdirSync(projects).flatMap((slug) =>
    readdirSync(join(projects, slug))
      .filter((name) => name.endsWith('.jsonl') && !name.startsWith('agent-'))
      .map((name) => join(projects, slug, name)),
  );
  const copies = files.map((file, index) => {
    const folder = join(root, 'projects', `-folder-${index}`);
    mkdirSync(folder, { recursive: true });
    cpSync(file, join(folder, basename(file)));
    return join(folder, basename(file));
  });
  return { root, files: copies };
}

function sessionsOf(chat: Json | undefined): string[] {
  return (asArray(at(chat, 'sessions')) ?? []).map((session) => asString(at(session, 'file')) ?? '');
}

const RECORDINGS = readdirSync(join(FIXTURES, 'recorded')).flatMap((version) =>
  readdirSync(join(FIXTURES, 'recorded', version))
    .map((name) => `${version}/${name}`)
    .filter((name) => transcriptsBelow(join(FIXTURES, 'recorded', name, 'projects')).length > 1),
);

describe('H1, H4: a chat whose files lie in several folders is the same to every verb', () => {
  test.each(RECORDINGS)('%s', async (recording) => {
    const { root, files } = scattered(recording);
    const { run } = machine(root);
    const listed = asArray(at((await run('list', '--json')).json(), 'chats')) ?? [];
    const drawn = asArray(at((await run('tree', '--json')).json(), 'chats')) ?? [];
    for (const file of files) {
      const chat = listed.find((each) => sessionsOf(each).includes(file));
      // An empty file is in no chat (L6).
      if (chat === undefined) continue;
      const shown = at((await run('show', file, '--json')).json(), 'chat');
      expect(shown).toMatchObject({ id: at(chat, 'id'), title: at(chat, 'title'), sessions: at(chat, 'sessions') });
      const [tree] = asArray(at((await run('tree', file, '--json')).json(), 'chats')) ?? [];
      expect(tree).toEqual(drawn.find((each) => sessionsOf(each).includes(file)));
    }
  });
});

describe('the work of finding them', () => {
  const ID = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;

  function session(n: number, entries: number): string {
    const lines = Array.from({ length: entries }, (_, place) => ({
      type: place % 2 === 0 ? 'user' : 'assistant',
      uuid: `${n}-${place}`,
      parentUuid: place === 0 ? null : `${n}-${place - 1}`,
      sessionId: ID(n),
      timestamp: new Date(1.77e12 + n * 1e7 + place * 1000).toISOString(),
      cwd: `/work/p${n}`,
      message: { role: place % 2 === 0 ? 'user' : 'assistant', id: `m${n}-${place}`, content: 'word '.repeat(400) },
    }));
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  async function cost(run: () => Promise<unknown>): Promise<number> {
    const before = { ...io };
    await run();
    return ioSince(before).bytesRead;
  }

  test('of other folders only the beginnings are read', async () => {
    const root = tempFolder();
    const texts = Array.from({ length: 30 }, (_, n) => session(n, 60));
    for (const [n, text] of texts.entries()) {
      mkdirSync(join(root, 'projects', `-work-p${n}`), { recursive: true });
      writeFileSync(join(root, 'projects', `-work-p${n}`, `${ID(n)}.jsonl`), text);
    }
    const { run } = machine(root);
    const own = texts[3]?.length ?? 0;
    const all = texts.reduce((sum, text) => sum + text.length, 0);
    const read = await cost(() => run('tree', ID(3)));
    // The session itself for its outline and its entries, and 16 kB of each other.
    expect(read).toBeLessThan(4 * own + 30 * (16 << 10));
    expect(read).toBeLessThan(all / 3);
    await run('archive', 'sync');
    expect(await cost(() => run('tree', ID(3)))).toBeLessThanOrEqual(2 * own);
  });

  test('C1: what a chat goes on from is found deep in another session, wherever it lies', async () => {
    const root = tempFolder();
    const older = session(1, 80);
    const newer = session(2, 4).replace('"parentUuid":null', '"parentUuid":"1-77"');
    const place = (name: string, id: string, text: string) => {
      mkdirSync(join(root, 'projects', name), { recursive: true });
      writeFileSync(join(root, 'projects', name, `${id}.jsonl`), text);
      return join(root, 'projects', name, `${id}.jsonl`);
    };
    const [first, second] = [place('-a', ID(1), older), place('-b', ID(2), newer)];
    place('-c', ID(3), session(3, 4));
    const { run } = machine(root);
    for (const selector of [ID(1), ID(2)]) {
      const chat = at((await run('show', selector, '--json')).json(), 'chat');
      expect(sessionsOf(chat)).toEqual([first, second]);
    }
    expect(readFileSync(first, 'utf8')).toBe(older);
  });

  test('one session in two folders is one, not a question', async () => {
    const root = tempFolder();
    for (const [folder, entries] of [
      ['-a', 4],
      ['-b', 6],
    ] as const) {
      mkdirSync(join(root, 'projects', folder), { recursive: true });
      writeFileSync(join(root, 'projects', folder, `${ID(1)}.jsonl`), session(1, entries));
    }
    const { run } = machine(root);
    const shown = (await run('show', ID(1), '--json')).json();
    expect(sessionsOf(at(shown, 'chat'))).toHaveLength(2);
    expect(asArray(at(shown, 'turns'))).toHaveLength(3);
    expect((await run('cat', ID(1))).text).toBe(session(1, 6));
  });
});
