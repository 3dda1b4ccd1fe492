/** `skein export md`: what `skein show --format md` shows, as a file. */
import { counted } from '../../views/counted.ts';
import { turnMarkdown } from '../../views/markdown.ts';
import type { ViewOptions } from '../../views/options.ts';
import { safeLine } from '../../views/safe.ts';
import { markdownTitle } from '../commands/show.ts';
import type { SharedChat } from './chats.ts';
import type { ExportOptions, Format, ProjectIndex } from './format.ts';
import { aboutText } from './review.ts';

export const md: Format = {
  extension: 'md',
  holds: 'texts',
  *content(chat, review, options) {
    const { opened, branches } = chat;
    yield markdownTitle(opened, (text) => text);
    for (const { branch, turns } of branches) {
      const place = branch === undefined ? 0 : opened.chat.branches.indexOf(branch) + 1;
      if (branches.length > 1) yield `\n# Branch ${place} of ${branches.length}\n`;
      for (const turn of turns) yield `\n${turnMarkdown(turn, viewOptions(chat, options))}`;
    }
    yield `\n---\n\n${aboutText(review, options)
      .map((line) => `*${escaped(line)}*`)
      .join('\n\n')}\n`;
  },
  index: ({ project, chats }: ProjectIndex) => {
    const rows = chats.map(
      ({ title, file, turns, updated }) =>
        `- [${escaped(title)}](<${encodeURI(file)}>) · ${counted(turns, 'turn')} · ${updated?.slice(0, 10) ?? ''}`,
    );
    return `# ${escaped(project)}\n\n${rows.join('\n')}\n`;
  },
};

function viewOptions({ opened }: SharedChat, { thinking, tools }: ExportOptions): ViewOptions {
  return { thinking, tools, resolve: opened.resolve, agentOf: opened.agentOf };
}

function escaped(text: string): string {
  return safeLine(text).replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
