/**
 * The price library holds its table as 30,000 lines of JavaScript, which take 40 ms to load. In the bundle the same table
 * is a JSON string, which takes 5; code and prices stay the library's own.
 */
import { readFile } from 'node:fs/promises';
import { waitForUpdate } from '@pydantic/genai-prices';
import type { Plugin } from 'esbuild';

const LITERAL = /^const E = \[\n[\s\S]*?\n\](?:, |;)/;

export const slimPrices: Plugin = {
  name: 'slim-prices',
  setup({ onLoad }) {
    onLoad({ filter: /genai-prices[/\\]dist[/\\]index\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const [literal] = LITERAL.exec(text) ?? [];
      if (literal === undefined) throw new Error('the price table of @pydantic/genai-prices is not where it was');
      const table = JSON.stringify(JSON.stringify(await waitForUpdate()));
      const end = literal.endsWith(';') ? ';' : ', ';
      return { contents: `const E = JSON.parse(${table})${end}${text.slice(literal.length)}` };
    });
  },
};
