/** What verbs answer in JSON, as the screen takes it. */
import { asArray, asNumber, asObject, asString, isObject, type Json, parseJson } from '../../format/json.ts';
import { shortId } from '../shortid.ts';
import { tokensText } from '../slim/table.ts';
import type { Event, Hit, SlimScreen } from './state.ts';

export function foundIn(out: string): Pick<Extract<Event, { kind: 'found' }>, 'hits' | 'total' | 'told'> | undefined {
  const found = asObject(parseJson(out));
  const total = asNumber(found?.total);
  if (found === undefined || total === undefined) return undefined;
  const hits = (asArray(found.hits) ?? []).filter(isObject).flatMap((hit): Hit[] => {
    const [chat, file] = [asString(hit.chat), asString(hit.file)];
    if (chat === undefined || file === undefined) return [];
    return [
      {
        chat,
        file,
        uuid: asString(hit.uuid),
        where: asString(hit.where) ?? '',
        isError: hit.error === true,
        time: asString(hit.time),
        snippet: asString(hit.snippet) ?? '',
        highlights: (asArray(hit.highlights) ?? []).flatMap(rangeOf),
      },
    ];
  });
  const how =
    found.engine === 'index' ? 'index' : `${asNumber(found.scanned) ?? 0} files read; the archive makes it faster`;
  const shown = hits.length < total ? `, the first ${hits.length} shown` : '';
  return { hits: byChat(hits), total, told: `${total} found${shown} (${how})` };
}

function rangeOf(range: Json): (readonly [number, number])[] {
  const [start, end] = (asArray(range) ?? []).map(asNumber);
  return start === undefined || end === undefined ? [] : [[start, end]];
}

/** In the order of the best hit of each. */
function byChat(hits: readonly Hit[]): Hit[] {
  return [...Map.groupBy(hits, ({ chat }) => chat).values()].flat();
}

export function measuredIn(out: string): Pick<SlimScreen, 'before' | 'presets'> | undefined {
  const report = asObject(parseJson(out));
  const before = asNumber(asObject(report?.before)?.tokens);
  const presets = (asArray(asObject(report?.after)?.presets) ?? []).filter(isObject).flatMap((preset) => {
    const [name, tokens] = [asString(preset.name), asNumber(preset.tokens)];
    return name === undefined || tokens === undefined ? [] : [{ name, tokens }];
  });
  return before === undefined || presets.length === 0 ? undefined : { before, presets };
}

export function slimmedIn(out: string): string {
  const report = asObject(parseJson(out));
  const tokens = (side: Json | undefined) => asNumber(asObject(side)?.tokens) ?? 0;
  const sizes = `${tokensText(tokens(report?.before))} → ~${tokensText(tokens(report?.after))} tokens`;
  return `Slimmed: ${sizes}; new session ${shortId(asString(report?.sessionId) ?? '')}`;
}
