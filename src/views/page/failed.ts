/** Calls that did not do what they were to do. */
import type { ToolStatus } from '../../graph/types.ts';

export const FAILED: ReadonlySet<ToolStatus> = new Set<ToolStatus>(['error', 'denied', 'interrupted']);
