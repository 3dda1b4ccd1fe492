/** Help for people, and the same for docs/cli.md. */
import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import type { Style } from './terminal.ts';
import { GROUPS, VERBS } from './verbs.ts';

/** Docs, pipes and wide terminals. */
const WIDEST = 100;

export async function overviewText(style: Style, columns = WIDEST): Promise<string> {
  const width = Math.min(columns, WIDEST);
  const lines = [
    `${style.bold('skein')}: keep, explain, search and edit coding-agent sessions (Claude Code transcripts)`,
    '',
    `${style.bold('Usage:')} skein [VERB] [ARGUMENTS]      without a verb: all chats on a screen`,
  ];
  for (const [group, title] of Object.entries(GROUPS)) {
    lines.push('', style.bold(title));
    for (const verb of VERBS.filter((each) => each.group === group)) {
      const command = await verb.load();
      lines.push(`  ${style.accent(verb.name.padEnd(12))} ${command.summary}`);
    }
  }
  lines.push(
    '',
    style.bold('Selector (SEL)'),
    ...rowsOf(
      [
        ['FILE', 'a path to a .jsonl file'],
        ['ID', 'a session or sub-agent id, or the start of one: four characters or more'],
        ['@last, @last~2', 'the newest session, or the second before it'],
        ['project:NAME', 'sessions of a project, by its path or the end of it'],
        ['WORDS', 'words of a title'],
      ],
      width,
    ),
    '',
    `${style.bold('Exit codes:')} 0 fine, 1 found problems or nothing, 2 wrong usage`,
    style.dim('More on a verb: skein VERB --help'),
    '',
  );
  return lines.join('\n');
}

export function helpText(command: Command, style: Style, columns = WIDEST): string {
  const width = Math.min(columns, WIDEST);
  const lines = [
    `${style.bold(`skein ${command.name}`)}: ${command.summary}`,
    '',
    `${style.bold('Usage:')} skein ${command.name} ${command.usage}`.trimEnd(),
  ];
  for (const paragraph of command.details) lines.push('', ...wrap(paragraph, width));
  lines.push('', style.bold('Options'), ...optionLines({ ...command.options, ...COMMON_OPTIONS }, width));
  lines.push('', style.bold('Examples'), ...rowsOf(command.examples, width), '');
  return lines.join('\n');
}

function optionLines(options: Readonly<Record<string, Option>>, width: number): string[] {
  return rowsOf(
    Object.entries(options).map(([name, option]) => {
      const short = option.short === undefined ? '    ' : `-${option.short}, `;
      return [`${short}--${name}${option.value === undefined ? '' : ` ${option.value}`}`, option.help];
    }),
    width,
  );
}

function rowsOf(rows: readonly (readonly [string, string])[], total: number): string[] {
  const width = Math.min(36, Math.max(...rows.map(([left]) => left.length)) + 2);
  return rows.flatMap(([left, right]) => {
    const text = wrap(right, Math.max(20, total - width - 2));
    const indent = ' '.repeat(width + 2);
    const [first = '', ...rest] = text;
    return left.length < width
      ? [`  ${left.padEnd(width)}${first}`, ...rest.map((line) => indent + line)]
      : [`  ${left}`, ...text.map((line) => indent + line)];
  });
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
