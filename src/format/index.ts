/** What `skein/format` offers to other programs. */
export * from './check.ts';
export * from './content.ts';
export * from './entry.ts';
export * from './head.ts';
export * from './idlist.ts';
export * from './ids.ts';
export * from './inventory.ts';
export * from './issue.ts';
export * from './json.ts';
export * from './kinds.ts';
export * from './lines.ts';
export * from './prompt.ts';
export * from './session.ts';
export * from './slug.ts';
export * from './typed.ts';
export * from './usage.ts';
