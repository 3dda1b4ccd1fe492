/** What a figure means, in words, and which messages it is made of. */
import type { UsageAnswer } from '../app/answers.ts';
import type { Params } from '../app/api.ts';
import { counted, tokenText } from './amounts.ts';
import type { FigureName } from './Figures.tsx';

export function aboutFigure(
  figure: FigureName,
  { totals, activeMs }: UsageAnswer,
): [title: string, slice: Params, about: string] {
  const { messages, input, output, cacheCreation, cacheRead } = totals;
  switch (figure) {
    case 'cost':
      return [
        'Cost',
        {},
        'Tokens times the price of their model on that day, added over all messages. Lines that repeat a message count once.',
      ];
    case 'tokens':
      return [
        'Tokens',
        {},
        `${tokenText(input)} input, ${tokenText(cacheCreation)} written to the cache, ${tokenText(cacheRead)} read from it, ${tokenText(output)} output, in ${counted(messages, 'message')}.`,
      ];
    case 'cache':
      return [
        'Cache hit rate',
        {},
        `Of all that was sent to the models, what came from the cache: ${tokenText(cacheRead)} of ${tokenText(input + cacheCreation + cacheRead)} tokens. What is read from the cache costs a tenth or so of new input.`,
      ];
    case 'time':
      return [
        'Time',
        {},
        `${counted(activeMs / 900_000, 'quarter of an hour', 'quarters of an hour')} in which a model answered at least once, whichever chat it was.`,
      ];
  }
}
