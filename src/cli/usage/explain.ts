/** `--explain`: each message with every line that tells of it, which of them counted, and why. */
import type { SessionFile } from '../../disk/find.ts';
import type { FileUsage } from '../../disk/usage.ts';
import type { LineUsage } from '../../graph/usage/line.ts';
import { safeLine } from '../../views/safe.ts';
import { costText, messagesText } from '../../views/usage/amounts.ts';
import { type Explained, explainMessage, partsOf, sumParts } from '../../views/usage/explain.ts';
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

const SHOWN = 20;

export async function explain(context: Context, args: Arguments): Promise<number> {
  const question = questionOf(context, args);
  const pricing = openPricing(context, args);
  const { files: all } = await chooseFiles(context, args);
  const isTeam = args.value('team') !== undefined;
  const files = isTeam ? await (await import('./teamfiles.ts')).filesOfTime(context, args, question, all) : all;
  const { messages, projectOf, linesOf } = gatherWithLines(context, files);
  const wanted = messages
    .map((message) => ({ message, fact: toFact(message, projectOf(message), pricing) }))
    .filter(({ fact }) => question.wanted(fact))
    .sort((a, b) => (a.fact.time ?? 0) - (b.fact.time ?? 0));
  const skip = wholeNumber(args, 'skip') ?? 0;
  const limit = wholeNumber(args, 'limit') ?? SHOWN;
  const page = wanted.slice(skip, skip + limit);
  const explained = page.map(({ message, fact }) => explainMessage(message, linesOf(message), fact, pricing));
  const mask = await openMask(context, args);
  if (args.flag('json')) {
    const parts = sumParts(wanted.flatMap(({ message, fact }) => partsOf(message, fact, pricing)));
    const json = { total: wanted.length, skip, parts, messages: explained };
    context.out.write(`${mask.json(json)}\n`);
    return wanted.length > 0 ? 0 : 1;
  }
  const texts = () =>
    explained.map((each, index) => explainedText(context, mask, each, costText(page[index]?.fact ?? NO_COST)));
  for (const text of mask.settled(texts)) context.out.write(text);
  const end = skip + page.length;
  const more = end < wanted.length ? `; the next: --skip ${end}` : '';
  context.out.write(context.out.style.dim(`${page.length} of ${messagesText(wanted.length)}${more}\n`));
  return wanted.length > 0 ? 0 : 1;
}

const NO_COST = { cost: 0, unpriced: 1, messages: 1 };

/** Every line of every message. What is counted in several files is joined. */
function gatherWithLines(context: Context, files: readonly SessionFile[]) {
  const inFile = new Map<FileUsage, LineUsage[]>();
  const counted = new Map<FileUsage, LineUsage[]>();
  const gathered = gatherMessages(context, files, {
    onLine: (line, message) => push(inFile, message, line),
    onMessage: (message, whole) => {
      for (const line of inFile.get(message) ?? []) push(counted, whole, line);
    },
  });
  return { ...gathered, linesOf: (message: FileUsage) => counted.get(message) ?? [] };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function explainedText({ out, home }: Context, mask: Masking, message: Explained, cost: string): string {
  const { style, columns } = out;
  const safe = (text: string) => safeLine(mask(text));
  const { input, output, cacheCreation, cacheRead } = message.usage;
  const head = [message.id ?? 'no id', message.model, message.time ?? 'no time', cost].map(safe).join('  ');
  const counts = `  input ${input}, output ${output}, cache write ${cacheCreation}, cache read ${cacheRead}`;
  const prices = wrapProse(costStory(message), columns - 2).map((line) => style.dim(`  ${line}`));
  const lines = message.lines.flatMap((line, index) => {
    const mark = line.counted ? style.good('counted') : style.dim('       ');
    const what = `output ${line.usage.output}, ${line.why}`;
    const place = line.file === message.lines[index - 1]?.file ? [] : [`  ${safe(homePath(line.file, home))}`];
    return [...place, `  ${mark} line ${line.line}  ${style.dim(what)}`];
  });
  return `${[style.bold(head), counts, ...prices, ...lines].join('\n')}\n`;
}

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
