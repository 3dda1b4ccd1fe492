/** What must outlive a compaction whatever the summary says: files that were worked with, and todos that are open. */
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../format/json.ts';
import type { Spoken } from './render.ts';

export interface Facts {
  /** The one used last stands last. */
  readonly files: readonly string[];
  /** `[in_progress] Run the tests` */
  readonly todos: readonly string[];
}

const MOST_FILES = 500;

/** Of the conversation, and of the summary that it begins with. */
export function factsIn(messages: readonly Spoken[]): Facts {
  const before = factsOfText(wordsOf(messages[0]));
  const files = new Set(before.files);
  let { todos } = before;
  for (const { content } of messages) {
    for (const block of content) {
      for (const path of pathsIn(block)) {
        files.delete(path);
        files.add(path);
      }
      if (block.type === 'tool_use' && block.name === 'TodoWrite') todos = openTodos(asObject(block.input) ?? {});
    }
  }
  return { files: [...files].slice(-MOST_FILES), todos };
}

/** How a file that a prompt names (`@path`) is told. */
const NAMED = /^Called the Read tool with the following input: (\{.*\})$/gm;

function pathsIn(block: JsonObject): string[] {
  const inputs =
    block.type === 'tool_use'
      ? [asObject(block.input)]
      : [...(asString(block.text) ?? '').matchAll(NAMED)].map(([, input = '']) => asObject(parseJson(input)));
  return inputs.flatMap((input) => {
    const path = asString(input?.file_path) ?? asString(input?.notebook_path);
    return path && !path.includes('\n') ? [path] : [];
  });
}

function openTodos(input: JsonObject): string[] {
  return (asArray(input.todos) ?? []).filter(isObject).flatMap((todo) => {
    const [content, status] = [asString(todo.content), asString(todo.status)];
    return content && status !== 'completed' ? [`[${status ?? 'pending'}] ${content.replace(/\s+/g, ' ')}`] : [];
  });
}

function wordsOf(message: Spoken | undefined): string {
  return asString(message?.content[0]?.text) ?? '';
}

const FILES = 'Files worked with so far:';
const TODOS = 'Open todos:';

export function factsText({ files, todos }: Facts): string {
  return [listText(FILES, files), listText(TODOS, todos)].filter((text) => text !== '').join('\n\n');
}

function listText(heading: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [heading, ...items.map((item) => `- ${item}`)].join('\n');
}

/** What `factsText` wrote: it stands before everything that somebody else said. */
function factsOfText(text: string): Facts {
  return { files: listed(text, FILES), todos: listed(text, TODOS) };
}

function listed(text: string, heading: string): string[] {
  const [, after = ''] = text.split(`\n${heading}\n`, 2);
  const lines = after.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('- '));
  return lines.slice(0, end < 0 ? undefined : end).map((line) => line.slice(2));
}
