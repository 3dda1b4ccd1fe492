/** An outline as it was stored, or nothing: one of another shape is not trusted, its session is read instead. */
import { asIdList } from '../../format/idlist.ts';
import { asArray, asBoolean, asNumber, asObject, asString, type Json, type JsonObject } from '../../format/json.ts';
import type { LineageFacts } from '../../graph/lineage/facts.ts';
import type { Outline, Titles } from '../../graph/outline.ts';

export function toOutline(json: Json | undefined): Outline | undefined {
  const from = asObject(json);
  const lines = asNumber(from?.lines);
  const turns = asNumber(from?.turns);
  const counts = from && countsOf(from, ['rewinds', 'compactions', 'apiErrors']);
  const titles = toTitles(asObject(from?.titles));
  const lineage = toLineage(asObject(from?.lineage));
  const lists = from && listsOf(from, ['sessionIds', 'cwds', 'versions', 'turnUuids', 'models']);
  const uuids = asIdList(from?.uuids);
  const asides = asIdList(from?.asides);
  if (!from || lines === undefined || turns === undefined || !titles || !lineage || !lists || !counts) return undefined;
  if (uuids === undefined || asides === undefined) return undefined;
  return {
    lines,
    turns,
    ...lists,
    ...counts,
    uuids,
    asides,
    cwd: asString(from.cwd),
    gitBranch: asString(from.gitBranch),
    model: asString(from.model),
    lastPrompt: asString(from.lastPrompt),
    started: asString(from.started),
    updated: asString(from.updated),
    titles,
    lineage,
  };
}

function toTitles(from: JsonObject | undefined): Titles | undefined {
  const summaries = listOf(from?.summaries, (each) => {
    const summary = asObject(each);
    const text = asString(summary?.text);
    return text === undefined ? undefined : { text, leafUuid: asString(summary?.leafUuid) };
  });
  if (from === undefined || summaries === undefined) return undefined;
  return {
    custom: asString(from.custom),
    ai: asString(from.ai),
    agentName: asString(from.agentName),
    firstPrompt: asString(from.firstPrompt),
    summaries,
  };
}

function toLineage(from: JsonObject | undefined): LineageFacts | undefined {
  const lists = from && listsOf(from, ['logicalParents', 'plans', 'openings']);
  const retold = asBoolean(from?.retold);
  const versions = listOf(from?.versions, (each) => {
    const version = asString(asObject(each)?.version);
    const start = asNumber(asObject(each)?.from);
    return version === undefined || start === undefined ? undefined : { version, from: start };
  });
  const renamed = asIdList(from?.renamed);
  if (!from || !lists || retold === undefined || !versions || !renamed) return undefined;
  return {
    ...lists,
    retold,
    versions,
    renamed,
    opened: asString(from.opened),
    firstParent: asString(from.firstParent),
    planContent: asString(from.planContent),
    fork: toFork(asObject(from.fork)),
  };
}

function toFork(from: JsonObject | undefined): LineageFacts['fork'] {
  const sessionId = asString(from?.sessionId);
  const uuid = asString(from?.uuid);
  return sessionId === undefined || uuid === undefined ? undefined : { sessionId, uuid };
}

/** Lists of texts by their names; nothing when one is not there. */
function listsOf<Name extends string>(
  from: JsonObject,
  names: readonly Name[],
): Record<Name, readonly string[]> | undefined {
  const lists: Partial<Record<Name, readonly string[]>> = {};
  for (const name of names) {
    const list = listOf(from[name], asString);
    if (list === undefined) return undefined;
    lists[name] = list;
  }
  return hasAll(lists, names) ? lists : undefined;
}

function countsOf<Name extends string>(from: JsonObject, names: readonly Name[]): Record<Name, number> | undefined {
  const counts: Partial<Record<Name, number>> = {};
  for (const name of names) {
    const count = asNumber(from[name]);
    if (count === undefined) return undefined;
    counts[name] = count;
  }
  return hasAll(counts, names) ? counts : undefined;
}

function hasAll<Name extends string, T>(
  lists: Partial<Record<Name, T>>,
  names: readonly Name[],
): lists is Record<Name, T> {
  return names.every((name) => lists[name] !== undefined);
}

function listOf<T>(from: Json | undefined, read: (each: Json) => T | undefined): T[] | undefined {
  const list: T[] = [];
  for (const each of asArray(from) ?? [null]) {
    const value = read(each);
    if (value === undefined) return undefined;
    list.push(value);
  }
  return list;
}
