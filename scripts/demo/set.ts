/** The demo set: a config root with a handful of chats, as path → text. The same on every run. */
import { audit } from './chat-audit.ts';
import { bookshelf } from './chat-bookshelf.ts';
import { rateLimit } from './chat-rate-limit.ts';
import { rules } from './chat-rules.ts';
import { sqlite } from './chat-sqlite.ts';
import { staleTide } from './chat-stale-tide.ts';
import { createPapertrail } from './project-papertrail.ts';
import { createTidepool } from './project-tidepool.ts';
import type { DemoRoot } from './writer.ts';

export function demoFiles(): Map<string, string> {
  const root: DemoRoot = { files: new Map(), history: [] };
  const papertrail = createPapertrail();
  rules(root, papertrail);
  sqlite(root, papertrail);
  const tidepool = createTidepool();
  rateLimit(root, tidepool);
  staleTide(root, tidepool);
  audit(root, tidepool);
  bookshelf(root);
  root.files.set('history.jsonl', historyText(root));
  return new Map([...root.files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function historyText(root: DemoRoot): string {
  const lines = root.history
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .map(({ display, ...rest }) => JSON.stringify({ display, pastedContents: {}, ...rest }));
  return lines.map((line) => `${line}\n`).join('');
}
