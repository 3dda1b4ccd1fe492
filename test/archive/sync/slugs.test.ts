import { expect, test } from 'vitest';
import { slugOf } from '../../../src/archive/mount/mountfiles.ts';

const ID = 'abcdef01-2222-4222-8222-222222222222';

test.each([
  ['projects/-work-app/ID.jsonl', '-work-app'],
  ['projects/-work-app/ID/subagents/agent-1.jsonl', '-work-app'],
  ['projects/-work-app/ID/subagents/workflows/w/agent-1.jsonl', '-work-app'],
  ['projects/-work-app/agent-1.jsonl', '-work-app'],
  ['projects/-work-app/ID/tool-results/out.txt', '-work-app'],
  ['projects/-work-app/ID/custom-title.json', '-work-app'],
  // Where the place that was archived was no config folder.
  ['-work-app/ID/tool-results/out.txt', '-work-app'],
  ['ID/tool-results/out.txt', 'there'],
  ['ID/custom-title.json', 'there'],
  ['ID.jsonl', 'there'],
  ['ID/ID.jsonl', ID],
])('%s lies in the project’s folder', (name, slug) => {
  expect(slugOf({ name: name.replaceAll('ID', ID), root: '/some/there', session: ID })).toBe(slug);
});
