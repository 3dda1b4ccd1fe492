/** The anchors of all rules. In the bundle this module is what comes of it: 200 patterns need not be looked at by each command. */
import { anchorTables } from './anchortables.ts';
import { RULES } from './rules.ts';

export const RULE_TABLES = anchorTables(RULES);
