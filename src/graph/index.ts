/** What `skein/graph` offers to other programs. */
export * from './agents.ts';
export * from './branches.ts';
export * from './chain.ts';
export * from './chat.ts';
export * from './check.ts';
export * from './context/context.ts';
export * from './lineage.ts';
export * from './messages.ts';
export * from './outline.ts';
export * from './toolcalls.ts';
export * from './toolresults/read.ts';
export * from './turns.ts';
export * from './types.ts';
export * from './validate.ts';
