/** What `skein/views` offers to other programs. */
export * from './diff.ts';
export * from './items.ts';
export * from './json.ts';
export * from './markdown.ts';
export * from './options.ts';
export * from './safe.ts';
export * from './text.ts';
export * from './toolview.ts';
