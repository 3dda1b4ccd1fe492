/** Everything the graph knows of one session, and what a resume would send; the result is how much memory it holds then. */
import { readSessionOf } from '../../src/disk/read.ts';
import { branchesOf } from '../../src/graph/branches.ts';
import { context } from '../../src/graph/context/context.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { measured } from './measured.ts';

const kept: unknown[] = [];
measured(([file = '']) => {
  const { entries } = readSessionOf(file);
  const branches = branchesOf(entries);
  const turns = turnsOf(branches.entriesOf(branches.current));
  kept.push(entries, branches, turns, context(entries, { prompt: 'go on' }));
  return kept.length;
});
