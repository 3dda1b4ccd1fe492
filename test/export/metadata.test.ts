import { join } from 'node:path';
import { test } from 'vitest';
import { FIXTURES } from '../support/files.ts';
import { expectSameMetadata } from '../support/metadata.ts';

/** A resume that copies, one that copies what follows a compaction, and a fork: turns of their own are sent from the file alone. */
test.each(['1.0.111/f-resume', '1.0.111/g2-autocompact', '2.1.325/k-interactive'])(
  'T3: %s: the chat, the round and the number of a turn are the same whoever sends it',
  (scenario) => expectSameMetadata(join(FIXTURES, 'recorded', scenario)),
);
