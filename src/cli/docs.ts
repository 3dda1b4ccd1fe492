/** The page docs/cli.md: the help of every verb. */
import { helpText, overviewText } from './help.ts';
import type { Style } from './terminal.ts';
import { VERBS } from './verbs.ts';

const same = (text: string) => text;
const PLAIN: Style = { bold: same, dim: same, accent: same, good: same, warn: same, bad: same };

export async function cliPage(): Promise<string> {
  const parts = [
    '# The command',
    'Generated from `skein --help` by `npm run docs`. Do not edit.',
    fenced(await overviewText(PLAIN)),
  ];
  for (const verb of VERBS) parts.push(`## skein ${verb.name}`, fenced(helpText(await verb.load(), PLAIN)));
  return `${parts.join('\n\n')}\n`;
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}
