import { join } from 'node:path';
import { test } from 'vitest';
import { FIXTURES } from '../support/files.ts';
import { expectSameMetadata } from '../support/metadata.ts';
import { recordings } from '../support/spans.ts';

test.each(recordings())('T3: %s %s is told by a hook as by an export', (version, scenario) =>
  expectSameMetadata(join(FIXTURES, 'recorded', version, scenario)),
);
