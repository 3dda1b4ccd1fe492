/** When a conversation is compacted without being asked to. */
import { factsOf } from '../model/models.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Kept free for an answer, and for what calls bring before the next look. As in the published client. */
const FOR_ANSWER = 20_000;
const FOR_CALLS = 13_000;

/** Tokens by model; undefined when it is switched off. The variables are the published client's. */
export function compactLimit(env: Env): ((model: string) => number) | undefined {
  if (isOn(env.DISABLE_AUTO_COMPACT) || isOn(env.DISABLE_COMPACT)) return undefined;
  return (model) => {
    const facts = factsOf(model);
    const window = Math.min(facts.window, countOf(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW) ?? facts.window);
    const limit = Math.max(window - Math.min(facts.maxOutput, FOR_ANSWER) - FOR_CALLS, Math.round(window / 2));
    const percent = countOf(env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE);
    return percent === undefined ? limit : Math.min(limit, Math.round((window * percent) / 100));
  };
}

function isOn(value: string | undefined): boolean {
  return /^(?:1|true|yes|on)$/i.test(value ?? '');
}

function countOf(value: string | undefined): number | undefined {
  const count = Number(value);
  return value !== undefined && Number.isFinite(count) && count > 0 ? count : undefined;
}
