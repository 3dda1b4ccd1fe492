/**
 * The price library holds its table as 30,000 lines of JavaScript, which take 40 ms to load. In the bundle a provider's models are a
 * JSON string, read when they are first asked for: those of one or two providers. Code and prices stay the library's own.
 */
import { readFile } from 'node:fs/promises';
import { type Provider, waitForUpdate } from '@pydantic/genai-prices';
import type { Plugin } from 'esbuild';

const LITERAL = /^const E = \[\n[\s\S]*?\n\](?:, |;)/;

export const slimPrices: Plugin = {
  name: 'slim-prices',
  setup({ onLoad }) {
    onLoad({ filter: /genai-prices[/\\]dist[/\\]index\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const [literal] = LITERAL.exec(text) ?? [];
      if (literal === undefined) throw new Error('the price table of @pydantic/genai-prices is not where it was');
      const providers = await waitForUpdate();
      if (providers === null) throw new Error('@pydantic/genai-prices has no price table');
      const table = providers.map(lazyModels).join(',\n');
      const end = literal.endsWith(';') ? ';' : ', ';
      return { contents: `const E = [${table}]${end}${text.slice(literal.length)}` };
    });
  },
};

function lazyModels({ models, ...provider }: Provider): string {
  const read = `JSON.parse(${JSON.stringify(JSON.stringify(models))})`;
  const keep = `Object.defineProperty(this, 'models', { value: ${read}, enumerable: true }).models`;
  return `{ ...JSON.parse(${JSON.stringify(JSON.stringify(provider))}), get models() { return ${keep}; } }`;
}
