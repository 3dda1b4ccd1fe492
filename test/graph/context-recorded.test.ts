/** context() of a recorded session as it stood before each resume equals what that resume sent. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asNumber, asObject, asString, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import { validate } from '../../src/graph/validate.ts';
import { FIXTURES } from '../support/files.ts';
import {
  entriesOf,
  type Message,
  toMessages,
  withoutInventedWords,
  withoutReminders,
} from '../support/resume-cases.ts';

const RECORDED = join(FIXTURES, 'recorded', '2.1.325');

interface Resume {
  readonly name: string;
  readonly prompt: string;
  readonly before: string;
  readonly sent: readonly Message[];
}

/** The steps that resume a session and ask the model something, each with the file as it stood before. */
function resumes(): Resume[] {
  return readdirSync(RECORDED).flatMap((scenario) => {
    const steps = asObject(parseJson(readFileSync(join(RECORDED, scenario, 'sent.json'), 'utf8'))) ?? {};
    let lines: JsonObject = {};
    return Object.entries(steps).flatMap(([step, value]) => {
      const found = resumeOf(scenario, step, asObject(value) ?? {}, lines);
      lines = { ...lines, ...asObject(asObject(value)?.linesAfter) };
      return found === undefined ? [] : [found];
    });
  });
}

function resumeOf(scenario: string, step: string, value: JsonObject, lines: JsonObject): Resume | undefined {
  const argv = (asArray(value.argv) ?? []).map((argument) => asString(argument) ?? '');
  const request = asArray(value.messagesPerRequest)?.[0];
  const prompt = argv[2];
  const file = resumedFile(scenario, argv, lines);
  // `/compact` asks for a summary instead of going on.
  if (request === undefined || prompt === undefined || prompt === '/compact' || file === undefined) return undefined;
  const before = linesBefore(file.path, prompt, asNumber(lines[file.key]));
  return { name: `${scenario} ${step}`, prompt, before, sent: toMessages(request) };
}

function resumedFile(
  scenario: string,
  argv: readonly string[],
  lines: JsonObject,
): { key: string; path: string } | undefined {
  const projects = join(RECORDED, scenario, 'projects');
  const known = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.jsonl') && !name.includes('subagents'),
  );
  const id = argv[argv.indexOf('--resume') + 1];
  const key = argv.includes('--resume')
    ? known.find((name) => basename(name, '.jsonl') === id)
    : argv.includes('--continue')
      ? known.find((name) => name in lines)
      : undefined;
  return key === undefined ? undefined : { key, path: join(projects, key) };
}

/** Where no earlier step tells the number of lines, the file as it stood ends before its record of the new prompt. */
function linesBefore(path: string, prompt: string, count: number | undefined): string {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const isPrompt = (line: string): boolean => {
    const entry: Json | undefined = parseJson(line);
    return asObject(entry)?.type === 'queue-operation' && asObject(entry)?.content === prompt;
  };
  return lines
    .slice(0, count ?? lines.findIndex(isPrompt))
    .map((line) => `${line}\n`)
    .join('');
}

/** The client expands commands and mentions in a prompt, which is not part of resuming: then only the history is compared. */
const isExpanded = (prompt: string): boolean => prompt === '/demo now' || prompt.includes('@CLAUDE.md');

describe('recorded sessions of 2.1.325', () => {
  const all = resumes();
  test('every resume that asked the model is there', () => {
    expect(all.length).toBeGreaterThanOrEqual(28);
  });
  test.each(all.map((item) => [item.name, item] as const))('%s', (_, { prompt, before, sent }) => {
    const { messages } = context(entriesOf(before), { prompt });
    expect(validate(messages)).toEqual([]);
    const ours = withoutReminders(withoutInventedWords(messages));
    const theirs = withoutReminders(withoutInventedWords(sent));
    if (isExpanded(prompt)) expect(ours.slice(0, -1)).toEqual(theirs.slice(0, ours.length - 1));
    else expect(ours).toEqual(theirs);
  });
});
