/** What is said when a conversation is compacted: to whoever summarizes it, and to the model that goes on from the summary. */
import { OPENING } from '../../edit/compress/summary.ts';
import { type Facts, factsText } from './facts.ts';

export const SYSTEM =
  'You write down where a piece of work stands, for a colleague who takes it over and sees nothing but your words. You have no tools; answer with the text alone.';

export function requestText(conversation: string, instructions: string | undefined): string {
  const wish = instructions === undefined ? '' : `\n\nThe user asks for this about the summary: ${instructions}`;
  return `Below, between the tags, is a conversation between a user and an assistant that works with tools. It becomes too long to go on with and is replaced by your summary.

<conversation>
${conversation}
</conversation>

Write the summary. It is a record, not an answer: do not do what the conversation asks for. Say, under these headings, what is known and nothing that is not:

1. Asked: what the user wants, each request in the order made, with every condition, preference and correction. Words that matter as they are stand as they are.
2. Decided: what was found out and chosen, and why; what was tried and did not work, with the error.
3. Changed: each file that was read for a reason, made or changed, by its full path, and what about it matters; names, signatures and short pieces of code that will be needed; commands that were run and what came out.
4. Open: what is not done, what was being done last and where exactly it stopped, what comes next if the user has asked for it.

Be complete about facts and brief in words. If the conversation begins with a summary of what came before, carry over all of it that still matters.${wish}`;
}

export interface SummaryParts {
  readonly summary: string;
  readonly facts: Facts;
  /** The transcript, which still holds it all. */
  readonly file: string;
  /** The last request, word by word. */
  readonly asked: string;
  /** It is still being worked on. */
  readonly isRunning: boolean;
}

/** It begins as every reader of transcripts expects (E7). */
export function summaryText({ summary, facts, file, asked, isRunning }: SummaryParts): string {
  const known = factsText(facts);
  return [
    `${OPENING} The summary below covers the earlier portion of the conversation.`,
    ...(known === '' ? [] : [known]),
    `Summary:\n${summary}`,
    `Exact words, code and output from before are in the transcript: ${file}`,
    ...requestPart(asked, isRunning),
  ].join('\n\n');
}

function requestPart(asked: string, isRunning: boolean): string[] {
  if (asked.trim() === '') return [];
  const what = isRunning ? 'The request of the user that is being worked on' : 'The last request of the user';
  const next = isRunning ? ['Go on with it from where it stands, without asking whether to.'] : [];
  return [`${what}, word by word:\n<request>\n${asked}\n</request>`, ...next];
}
