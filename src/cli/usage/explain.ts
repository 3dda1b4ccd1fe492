/** `--explain`: each message with every line that tells of it, which of them counted, and why. */
import type { SessionFile } from '../../disk/find.ts';
import type { FileUsage } from '../../disk/usage.ts';
import { safeLine } from '../../views/safe.ts';
import { costText, messagesText } from '../../views/usage/amounts.ts';
import { createPartSums, type Explained, explainMessage, partsOf } from '../../views/usage/explain.ts';
import { toFact } from '../../views/usage/facts.ts';
import type { CostPart } from '../../views/usage/rates.ts';
import { wrapProse } from '../../views/wrap.ts';
import { wholeNumber } from '../arguments.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { homePath } from '../layout.ts';
import { type Masking, openMask } from '../mask.ts';
import { chooseFiles } from './choose.ts';
import { gatherMessages } from './gather.ts';
import { openPricing } from './pricing.ts';
import { questionOf } from './question.ts';
import { nothingText } from './report.ts';
import { createSeenLines } from './seenlines.ts';
import { tunedForScan } from './tune.ts';

const SHOWN = 20;

export async function explain(context: Context, args: Arguments): Promise<number> {
  const question = questionOf(context, args);
  const pricing = openPricing(context, args);
  const { files: all } = await chooseFiles(context, args);
  const isTeam = args.value('team') !== undefined;
  const files = isTeam ? await (await import('./teamfiles.ts')).filesOfTime(context, args, question, all) : all;
  const { numbered, at, projectOf, linesOf } = gatherWithLines(context, files);
  const factOf = (message: FileUsage) => toFact(message, projectOf(message), pricing);
  const sums = createPartSums();
  const wanted: { readonly number: number; readonly time: number }[] = [];
  let count = 0;
  for (const { number, message } of numbered()) {
    count += 1;
    const fact = factOf(message);
    if (!question.wanted(fact)) continue;
    wanted.push({ number, time: fact.time ?? 0 });
    sums.add(partsOf(message, fact, pricing));
  }
  wanted.sort((a, b) => a.time - b.time);
  const skip = wholeNumber(args, 'skip') ?? 0;
  const limit = wholeNumber(args, 'limit') ?? SHOWN;
  const page = wanted.slice(skip, skip + limit).map(({ number }) => {
    const message = at(number);
    return { message, lines: linesOf(number), fact: factOf(message) };
  });
  const explained = page.map(({ message, lines, fact }) => explainMessage(message, lines, fact, pricing));
  const mask = await openMask(context, args);
  if (args.flag('json')) {
    const json = { total: wanted.length, skip, parts: sums.result(), messages: explained };
    context.out.write(`${mask.json(json)}\n`);
    return wanted.length > 0 ? 0 : 1;
  }
  if (wanted.length === 0) {
    context.err.write(`${nothingText(context, args, count)}\n`);
    return 1;
  }
  const texts = () =>
    explained.map((each, index) => explainedText(context, mask, each, costText(page[index]?.fact ?? NO_COST)));
  for (const text of mask.settled(texts)) context.out.write(text);
  const end = skip + page.length;
  const more = end < wanted.length ? `; the next: --skip ${end}` : '';
  context.out.write(context.out.style.dim(`${page.length} of ${messagesText(wanted.length)}${more}\n`));
  return 0;
}

const NO_COST = { cost: 0, unpriced: 1, messages: 1 };

/** Every line of every message. What is counted in several files is joined. */
function gatherWithLines(context: Context, files: readonly SessionFile[]) {
  const { add, join, endFile, linesOf } = createSeenLines();
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const gathered = tunedForScan(size, () =>
    gatherMessages(context, files, { onLine: add, onMessage: join, onFile: endFile }),
  );
  return { ...gathered, linesOf };
}

function explainedText({ out, home }: Context, mask: Masking, message: Explained, cost: string): string {
  const { style, columns } = out;
  const safe = (text: string) => safeLine(mask(text));
  const { input, output, cacheCreation, cacheRead } = message.usage;
  const names = [message.id ?? 'no id', message.model, message.time ?? 'no time', cost].map(safe).join('  ');
  const head = wrapProse(names, columns).map((line) => style.bold(line));
  const told = `input ${input}, output ${output}, cache write ${cacheCreation}, cache read ${cacheRead}`;
  const counts = wrapProse(told, columns - 2).map((line) => `  ${line}`);
  const prices = wrapProse(costStory(message), columns - 2).map((line) => style.dim(`  ${line}`));
  const lines = message.lines.flatMap((line, index) => {
    const mark = line.counted ? `  ${style.good('counted')} ` : MARGIN;
    const number = `line ${line.line}  `;
    const [first = '', ...more] = wrapProse(
      `output ${line.usage.output}, ${line.why}`,
      columns - MARGIN.length - number.length,
    );
    const rest = more.map((each) => `${MARGIN}${' '.repeat(number.length)}${style.dim(each)}`);
    // A path stays whole, so that it can be copied.
    const place = line.file === message.lines[index - 1]?.file ? [] : [`  ${safe(homePath(line.file, home))}`];
    return [...place, `${mark}${number}${style.dim(first)}`, ...rest];
  });
  return `${[...head, ...counts, ...prices, ...lines].join('\n')}\n`;
}

/** Beside the lines that do not count. */
const MARGIN = ' '.repeat('  counted '.length);

const PART_NAMES: Readonly<Record<CostPart['what'], string>> = {
  input: 'input',
  output: 'output',
  cacheWrite: 'cache write',
  cacheWrite1h: 'cache write for an hour',
  cacheRead: 'cache read',
  webSearches: 'web searches',
};

/** Where a cost comes from: what was counted, at which price. */
function costStory({ costFrom, parts }: Explained): string {
  if (costFrom === null) return 'cost not known: no price is, and the client wrote none down';
  if (costFrom === 'recorded') return 'cost as the client wrote it down';
  const prices = parts.map(({ what, count, price }) => {
    return `${PART_NAMES[what]} ${count} at $${price}${what === 'webSearches' ? ' a thousand' : ''}`;
  });
  return prices.length === 0 ? 'nothing to pay for' : `priced by the million: ${prices.join(', ')}`;
}
