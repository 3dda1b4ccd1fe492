/** What the last search found, for going on from one hit to the next inside the chats. */
export interface HitPlace {
  readonly chat: string;
  readonly uuid: string;
}

let hits: readonly HitPlace[] = [];

export function setHits(found: readonly HitPlace[]): void {
  hits = found;
}

/** The hit after or before the one that is looked at; undefined where there is none. */
export function hitBeside(chat: string, uuid: string | undefined, step: 1 | -1): HitPlace | undefined {
  const place = hits.findIndex((hit) => hit.chat === chat && hit.uuid === uuid);
  if (place < 0) return step > 0 ? hits[0] : hits.at(-1);
  return hits[place + step];
}
