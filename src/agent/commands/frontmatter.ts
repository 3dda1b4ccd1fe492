/** The head of a Markdown file between two lines of `---`: names with a text or a list, the part of YAML that such heads use. */
import { codeOf } from '../../disk/errors.ts';
import { readPlainFile } from '../../disk/plainfile.ts';

export interface Matter {
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** Undefined for a file that cannot be read. */
export function readMatter(file: string): Matter | undefined {
  try {
    return parseMatter(readPlainFile(file));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

export function parseMatter(text: string): Matter {
  const found = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text);
  if (found === null) return { fields: {}, body: text };
  return { fields: fieldsOf(found[1] ?? ''), body: text.slice(found[0].length) };
}

function fieldsOf(head: string): Matter['fields'] {
  const fields: Record<string, string | string[]> = {};
  const lines = head.split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const [, name, value] = /^([\w-]+):(?:\s+(.*))?$/.exec(lines[i] ?? '') ?? [];
    if (name === undefined) continue;
    const more: string[] = [];
    while (i + 1 < lines.length && /^(?:\s+|-\s|$)/.test(lines[i + 1] ?? '')) more.push(lines[++i] ?? '');
    fields[name] = fieldOf((value ?? '').trim(), more);
  }
  return fields;
}

function fieldOf(value: string, more: readonly string[]): string | string[] {
  const items = more.filter((line) => line.trim() !== '');
  if (value === '' && items.length > 0 && items.every((line) => /^\s*-\s/.test(line))) {
    return items.map((line) => plain(line.replace(/^\s*-\s+/, '')));
  }
  if (/^[|>][-+]?$/.test(value)) {
    const indent = /^\s*/.exec(items[0] ?? '')?.[0].length ?? 0;
    const lines = more.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)));
    return lines.join(value.startsWith('>') ? ' ' : '\n').trim();
  }
  if (value.startsWith('[') && value.endsWith(']')) {
    const inner = value.slice(1, -1).trim();
    return inner === '' ? [] : inner.split(/,(?![^(]*\))/).map(plain);
  }
  return plain([value, ...items.map((line) => line.trim())].join(' ').trim());
}

function plain(value: string): string {
  const text = value.trim();
  const [, double, single] = /^"((?:[^"\\]|\\.)*)"$|^'((?:[^']|'')*)'$/.exec(text) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\])/g, '$1').replaceAll('\\n', '\n');
  return single === undefined ? text : single.replaceAll("''", "'");
}

export function textField(fields: Matter['fields'], name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === '') return undefined;
  return typeof value === 'string' ? value : value.join(', ');
}
