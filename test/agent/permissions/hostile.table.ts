/** What must not run. */
import { OPTIONS } from './hostile-options.table.ts';
import { REACH } from './hostile-reach.table.ts';
import { SMUGGLED } from './hostile-smuggled.table.ts';
import { TOOLS } from './hostile-tools.table.ts';
import type { Row } from './sets.table.ts';

export const HOSTILE: readonly Row[] = [...SMUGGLED, ...OPTIONS, ...REACH, ...TOOLS];
