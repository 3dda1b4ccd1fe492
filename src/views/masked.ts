/** Items and tool calls with their texts masked, before anything is cut, wrapped or coloured. */
import { type Json, parseJson } from '../format/json.ts';
import type { Todo } from '../graph/toolresults/lookups.ts';
import type { Item } from './items.ts';
import type { Mask } from './options.ts';
import type { Part, ToolView } from './toolview.ts';

export function maskedItem(item: Item, mask: Mask | undefined): Item {
  if (mask === undefined || item.type === 'call') return item;
  const text = mask(item.text);
  if (item.type === 'prompt') {
    const context = item.context.map((each) => ({ tag: mask(each.tag), text: mask(each.text) }));
    return { ...item, text, context };
  }
  // The label of a block that is not known is its name.
  return item.type === 'note' ? { ...item, text, label: mask(item.label) } : { ...item, text };
}

export function maskedView(view: ToolView, mask: Mask | undefined): ToolView {
  if (mask === undefined) return view;
  return {
    ...view,
    name: mask(view.name),
    argument: mask(view.argument),
    parts: view.parts.map((part) => maskedPart(part, mask)),
  };
}

function maskedPart(part: Part, mask: Mask): Part {
  switch (part.type) {
    case 'text':
    case 'code':
      return { ...part, text: mask(part.text) };
    case 'command':
      return { ...part, command: mask(part.command), stdout: mask(part.stdout), stderr: mask(part.stderr) };
    case 'diff':
      // A key goes over many lines.
      return {
        ...part,
        path: mask(part.path),
        hunks: part.hunks.map((hunk) => ({ ...hunk, lines: mask(hunk.lines.join('\n')).split('\n') })),
      };
    case 'todos':
      return {
        ...part,
        todos: maskedTodos(part.todos, mask),
        ...(part.before && { before: maskedTodos(part.before, mask) }),
      };
    case 'files':
      return { ...part, files: part.files.map(mask) };
    case 'links':
      return { ...part, links: part.links.map(({ title, url }) => ({ title: mask(title), url: mask(url) })) };
    case 'answers':
      return {
        ...part,
        answers: part.answers.map(({ question, answer }) => ({ question: mask(question), answer: mask(answer) })),
      };
    case 'json':
      return { ...part, value: maskedJson(part.value, mask) };
    case 'image':
      return part.mediaType === undefined ? part : { ...part, mediaType: mask(part.mediaType) };
  }
}

function maskedTodos(todos: readonly Todo[], mask: Mask): Todo[] {
  return todos.map((todo) => ({
    ...todo,
    content: mask(todo.content),
    ...(todo.activeForm !== undefined && { activeForm: mask(todo.activeForm) }),
  }));
}

export function maskedJson(value: Json, mask: Mask): Json {
  const text = JSON.stringify(value);
  const masked = mask(text);
  return masked === text ? value : (parseJson(masked) ?? masked);
}
