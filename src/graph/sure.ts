/** How far a link can be trusted. A guess is reported, but nothing is put together because of it. */
export type Sure = 'certain' | 'likely' | 'guess';
