/** What is known of the anchors of secrets by themselves is worked out here, once, instead of by each command that shows something. */
import type { Plugin } from 'esbuild';
import { RULE_TABLES } from '../src/redact/ruletables.ts';

export const anchorTables: Plugin = {
  name: 'anchor-tables',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /[/\\]ruletables\.ts$/ }, ({ path }) => ({ path, namespace: 'made' }));
    onLoad({ filter: /./, namespace: 'made' }, () => ({
      contents: `export const RULE_TABLES = ${JSON.stringify(RULE_TABLES)};`,
    }));
  },
};
