/** What an export of a whole root would write, in every format. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { parseArguments } from '../../src/cli/arguments.ts';
import { exportChats } from '../../src/cli/commands/export.ts';
import type { Context } from '../../src/cli/context.ts';
import { withShared } from '../../src/cli/export/chats.ts';
import type { ExportOptions } from '../../src/cli/export/format.ts';
import { html } from '../../src/cli/export/html.ts';
import { json } from '../../src/cli/export/json.ts';
import { md } from '../../src/cli/export/md.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import type { Rule } from '../../src/redact/rule.ts';

const OPTIONS: ExportOptions = { thinking: true, tools: 'full', replay: false, reveal: false, made: new Date(0) };
export const FORMATS = { html, md, json };

/** The files that an export of everything below a folder would write, and what it says of them. */
export async function exported(
  root: string,
  { rules }: { rules?: readonly Rule[] } = {},
): Promise<Record<string, string>> {
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
