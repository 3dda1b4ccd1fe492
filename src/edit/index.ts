/** What `skein/edit` offers to other programs: logs made of logs. Whoever writes one checks it first (docs/surgery.md). */
export * from './agent.ts';
export * from './clone.ts';
export * from './compress/compress.ts';
export * from './draft.ts';
export * from './flaws.ts';
export * from './ids.ts';
export * from './log.ts';
export * from './merge.ts';
export * from './move.ts';
export * from './remap.ts';
export * from './repair/repair.ts';
export * from './slim/settings.ts';
export * from './slim/slim.ts';
