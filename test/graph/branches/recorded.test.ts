import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Entry, jsonOf } from '../../../src/format/entry.ts';
import { asArray, asObject, asString, at, isObject, type Json, parseJson } from '../../../src/format/json.ts';
import { readSession } from '../../../src/format/session.ts';
import { encode } from '../../../src/format/text.ts';
import { branchesOf } from '../../../src/graph/branches.ts';
import { turnsOf } from '../../../src/graph/turns.ts';
import { text } from '../../support/build.ts';
import { FIXTURES } from '../../support/files.ts';
import { recorded, short } from '../../support/sessions.ts';

describe('branches: recordings', () => {
  const branchLines = (version: string, scenario: string) =>
    recorded(version, scenario).flatMap(({ id, entries }) => {
      const { branches } = branchesOf(entries);
      if (branches.length < 2) return [];
      return branches.map((branch) => {
        const mark = branch.current ? ' *' : '';
        return `${short(id)} ${short(branch.head)} @${short(branch.forkedAt)} ${branch.turns}${mark}`;
      });
    });

  test.each([
    ['1.0.111', ['ecc15b79 785fab4b @192756de 2', 'ecc15b79 8695d4d6 @192756de 5 *']],
    ['2.0.76', ['d23005b1 a974704c @0386b4a1 1', 'd23005b1 7cda37a4 @0386b4a1 4 *']],
    ['2.1.45', ['23023d1a 3178fcb9 @6cb8826b 2', '23023d1a 02f370ea @6cb8826b 4 *']],
    ['2.1.325', ['50abf700 874d3d3b @501dca9c 1', '50abf700 5bd5a9fb @e596884d 2', '50abf700 6cd4a139 @e596884d 3 *']],
  ])('H3: k-interactive %s: the rewind, and a prompt that was interrupted before any answer', (version, expected) => {
    const found = branchLines(version, 'k-interactive');
    const heads = (all: readonly string[]) => all.map((line) => line.replace(/\b([0-9a-f]{6})[0-9a-f]{2}\b/g, '$1'));
    expect(heads(found)).toEqual(heads(expected));
  });

  test('H3: no other recording has branches', () => {
    const root = `${FIXTURES}recorded`;
    const split = readdirSync(root).flatMap((version) =>
      readdirSync(`${root}/${version}`)
        .filter((scenario) => !scenario.includes('k-interactive'))
        .flatMap((scenario) => branchLines(version, scenario)),
    );
    expect(split).toEqual([]);
  });

  test('every entry of every recording is in a branch, once; turns add up to those of the conversation', () => {
    const root = `${FIXTURES}recorded`;
    for (const version of readdirSync(root)) {
      for (const scenario of readdirSync(`${root}/${version}`)) {
        for (const { entries } of recorded(version, scenario)) {
          const branches = branchesOf(entries);
          const [only, ...others] = branches.branches;
          const reached = new Set(branches.branches.flatMap((branch) => branches.entriesOf(branch)));
          expect(reached.size).toBe(only === undefined ? 0 : entries.length);
          if (only === undefined || others.length > 0) continue;
          const turns = turnsOf(branches.entriesOf(only)).filter(({ number }) => number > 0);
          expect(only.turns).toBe(turns.length);
        }
      }
    }
  });
});

describe('branches: held against the client', () => {
  interface Case {
    readonly name: string;
    readonly entries: readonly Entry[];
    readonly sent: readonly Json[];
  }

  function linesOf(input: Json | undefined): string {
    if (typeof input === 'string') return input;
    const list = asArray(input) ?? [];
    return list.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  }

  function cases(file: string): Case[] {
    return readFileSync(`${FIXTURES}${file}`, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const found = asObject(parseJson(line));
        const sent = asArray(found?.expected) ?? asArray(at(found?.expected, 'messages'));
        if (found === undefined || sent === undefined) return [];
        const name = asString(found.name) ?? '';
        return [{ name, entries: readSession(encode(linesOf(found.input)), name).entries, sent }];
      });
  }

  const content = (entry: Entry) =>
    JSON.stringify(at(jsonOf(entry), 'message', 'content') ?? jsonOf(entry)?.content ?? '');
  const quoted = (words: string) => JSON.stringify(words).slice(1, -1);

  function wordsSent(sent: readonly Json[]): Set<string> {
    const words = new Set<string>();
    for (const message of sent) {
      const blocks = at(message, 'content');
      for (const block of typeof blocks === 'string' ? [text(blocks)] : (asArray(blocks) ?? [])) {
        if (!isObject(block)) continue;
        for (const line of asString(block.text)?.split('\n') ?? []) words.add(line);
        for (const id of [block.id, block.tool_use_id]) if (typeof id === 'string') words.add(id);
      }
    }
    words.delete('');
    return words;
  }

  const isPrompt = ({ kind, head }: Entry) =>
    kind === 'user' && !head.isSidechain && !head.blocks.some(({ type }) => type === 'tool_result');

  /** Damage for which the client loses the first prompt. */
  const LOST = new Set(['f1103']);

  test.each(['fuzz.jsonl', 'probes.jsonl'])(
    'R2–R9: %s: a resume sends what the current branch holds, and its prompts',
    (file) => {
      for (const { name, entries, sent } of cases(file)) {
        const branches = branchesOf(entries);
        const own = branches.entriesOf(branches.current);
        const here = own.map(content).join('\n');
        const anywhere = entries.map(content).join('\n');
        const missing = [...wordsSent(sent)].filter(
          (word) => anywhere.includes(quoted(word)) && !here.includes(quoted(word)),
        );
        expect({ name, missing }).toEqual({ name, missing: [] });
        // What a compaction summed up is not sent, but stays in the chat.
        if (LOST.has(name) || entries.some(({ head }) => head.subtype === 'compact_boundary')) continue;
        const all = JSON.stringify(sent);
        const prompts = own.filter(isPrompt).map((entry) => firstText(entry));
        const unsent = prompts.filter((prompt) => prompt?.trim() && !all.includes(quoted(prompt)));
        expect({ name, unsent }).toEqual({ name, unsent: [] });
      }
    },
  );

  function firstText(entry: Entry): string | undefined {
    const said = at(jsonOf(entry), 'message', 'content');
    return asString(said) ?? asString(at(asArray(said)?.[0], 'text'));
  }
});
