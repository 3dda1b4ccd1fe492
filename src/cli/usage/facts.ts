/** Facts from what the archive knows, else from the files: message by message only where the question needs that. */
import type { SessionFile } from '../../disk/find.ts';
import { toCells } from '../../views/usage/cells.ts';
import { type Fact, toFact } from '../../views/usage/facts.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import type { Library } from '../library.ts';
import { gatherMessages } from './gather.ts';
import { openPricing } from './pricing.ts';
import type { Question } from './question.ts';
import { type Found, needsMessages } from './report.ts';
import { tunedForScan } from './tune.ts';

export function factsOf(
  context: Context,
  args: Arguments,
  question: Question,
  library: Library,
  files: readonly SessionFile[],
): Found {
  const pricing = openPricing(context, args);
  // Prompts recovered from the history tell of no usage.
  const transcripts = files.filter(({ source }) => source !== 'history').length;
  let read = 0;
  const known = (file: SessionFile) => {
    const messages = library.known.usageOf(file);
    if (messages === undefined && file.source !== 'history') read += 1;
    return messages;
  };
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const facts = tunedForScan(size, () => {
    const { messages, projectOf } = gatherMessages(context, files, { known });
    function* each(): Generator<Fact> {
      for (const message of messages) yield toFact(message, projectOf(message), pricing);
    }
    // A fact of every message would lie beside the messages: measured on 200,000, 160 bytes each. They are made as they are asked for.
    return needsMessages(question) ? { [Symbol.iterator]: each } : toCells(each());
  });
  return { facts, engine: read < transcripts ? 'archive' : 'files', read, prices: pricing.table };
}
