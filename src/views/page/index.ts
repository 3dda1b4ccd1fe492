/** Chat → what the viewer shows. */
export { agentPage, callPage, findCall } from './call.ts';
export { type ChatPageInput, chatPage } from './chat.ts';
export * from './embedded.ts';
export { findEntry } from './find.ts';
export { forksOf } from './forks.ts';
export { turnHead, turnHeads } from './heads.ts';
export { ITEMS_PART, type PageOptions } from './options.ts';
export { pageTurn } from './turn.ts';
export type * from './types.ts';
