/** Writes docs/cli.md from the verbs' own help, so that the two cannot differ. A test fails when it has drifted. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cliPage } from '../src/cli/docs.ts';

writeFileSync(fileURLToPath(new URL('../docs/cli.md', import.meta.url)), await cliPage());
