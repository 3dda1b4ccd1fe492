/** No secret that a rule knows is in any export, wherever in an entry it stands; without its rule it would be. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/arguments.ts';
import { exportChats } from '../../src/cli/commands/export.ts';
import type { Context } from '../../src/cli/context.ts';
import { withShared } from '../../src/cli/export/chats.ts';
import type { ExportOptions } from '../../src/cli/export/format.ts';
import { html } from '../../src/cli/export/html.ts';
import { json } from '../../src/cli/export/json.ts';
import { md } from '../../src/cli/export/md.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { RULES } from '../../src/redact/find.ts';
import type { Rule } from '../../src/redact/rule.ts';
import { assistant, chain, result, toJsonl, toolUse, user } from '../support/build.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { planting, plantScenario, survivors } from './planted.ts';
import { SAMPLES, type Sample } from './samples.ts';

const OPTIONS: ExportOptions = { thinking: true, tools: 'full', replay: false, reveal: false, made: new Date(0) };
const FORMATS = { html, md, json };

/** The files that an export of everything below a folder would write, and what it says of them. */
async function exported(root: string, { rules }: { rules?: readonly Rule[] } = {}): Promise<Record<string, string>> {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = openTerminal(stream, { isTerminal: false, color: 'never', env: {} });
  const context: Context = {
    env: {},
    home: '/home/dev',
    cwd: root,
    now: () => new Date('2027-01-01'),
    out: terminal,
    err: terminal,
    signal: new AbortController().signal,
  };
  const outputs: Record<string, string> = {};
  for (const slug of readdirSync(join(root, 'projects'))) {
    const args = parseArguments(exportChats, [
      `project:${slug}`,
      '--root',
      join(root, 'projects', slug),
      '--all-branches',
    ]);
    await withShared(context, args, { home: context.home, rules }, async ({ chats, review }) => {
      for (const [name, format] of Object.entries(FORMATS)) {
        const files = chats.flatMap((chat) => [...format.content(chat, chat.review, OPTIONS)]);
        outputs[name] = `${outputs[name] ?? ''}${files.map(withoutPage).join('')}`;
      }
      outputs.review = `${outputs.review ?? ''}${JSON.stringify(review)}`;
    });
  }
  return outputs;
}

/** The page itself is the same in every file. */
function withoutPage(file: string): string {
  return file.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, '');
}

describe('a secret in every string of every recorded entry', () => {
  test.each([
    ['texts', false],
    ['what makes a line what it is', true],
  ])('%s', { timeout: 600_000 }, async (_, structure) => {
    const root = tempFolder();
    const plan = planting(structure, structure ? 31 : 0);
    for (const version of readdirSync(join(FIXTURES, 'recorded'))) {
      for (const scenario of readdirSync(join(FIXTURES, 'recorded', version)))
        plantScenario(version, scenario, root, plan);
    }
    const outputs = await exported(root);
    for (const [name, output] of Object.entries(outputs)) expect([name, survivors(output)]).toEqual([name, []]);
    expect(outputs.json?.length).toBeGreaterThan(1_000_000);
    expect(plan.places.size).toBeGreaterThan(structure ? 100 : 500);
    expect(new Set([...plan.places.values()].flatMap((rules) => [...rules])).size).toBe(RULES.length);
  });
});

/** A chat that says each sample once, in a prompt or in the output of a tool. */
function saying(samples: readonly Sample[]): string {
  const root = tempFolder();
  const lines = samples.flatMap(({ text }, index) => [
    user(index % 2 === 0 ? text : 'go on'),
    assistant(toolUse(`t${index}`, 'Bash', { command: 'x' }), { id: `m${index}`, stop: 'tool_use' }),
    result(`t${index}`, index % 2 === 0 ? 'done' : text),
    assistant('fine', { id: `n${index}` }),
  ]);
  const folder = join(root, 'projects', '-w');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '11111111-1111-4111-8111-111111111111.jsonl'), toJsonl(chain(lines)));
  return root;
}

describe('the test would notice', () => {
  test('with all rules nothing is left', async () => {
    const outputs = await exported(saying(SAMPLES));
    expect(Object.values(outputs).flatMap(survivors)).toEqual([]);
  });

  test.each(RULES.map(({ id }) => id))('without %s its secret is left', async (id) => {
    const root = saying(SAMPLES.filter(({ rule }) => rule === id));
    const outputs = await exported(root, { rules: RULES.filter((rule) => rule.id !== id) });
    for (const name of Object.keys(FORMATS)) expect([name, survivors(outputs[name] ?? '')]).toEqual([name, [id]]);
  });
});
