/** What a page may ask of the verbs that write a session: by name and shape, nothing else. They only ever write new files. */
import { asObject, asString, at, type Json } from '../format/json.ts';
import { BadRequest } from './errors.ts';
import { idOf } from './parameters.ts';

export const EDIT_VERBS = ['slim', 'clone', 'repair'] as const;
export type EditVerb = (typeof EDIT_VERBS)[number];

export interface EditAsk {
  readonly verb: EditVerb;
  /** Of which session of the chat; without it of the one that a resume goes on from. */
  readonly session?: string;
  /** As the verb takes them, by name; true for those without a value. */
  readonly options: Readonly<Record<string, string | true>>;
  readonly dryRun: boolean;
  /** Nobody waits for it any more. */
  readonly signal: AbortSignal;
}

const TITLE = /^[^\u0000-\u001f\u007f]{1,200}$/;
const FLAG = true;

/** `in-place` is not among them: what is written stays as it was. */
const SHAPES: Readonly<Record<EditVerb, Readonly<Record<string, RegExp | typeof FLAG>>>> = {
  slim: { preset: /^(?:light|standard|deep|bare)$/, budget: /^\d{1,9}k?$/, title: TITLE },
  clone: { at: /^\d{1,6}$/, branch: /^\d{1,4}$/, title: TITLE },
  repair: { 'no-rejoin': FLAG, 'no-thinking': FLAG, title: TITLE },
};

const HOW = 'Send {"verb","session","options","dryRun"}.';

export function editIn(asked: Json | undefined): Omit<EditAsk, 'signal'> {
  const verb = EDIT_VERBS.find((each) => each === asString(at(asked, 'verb')));
  if (verb === undefined) throw new BadRequest(`The verb is one of ${EDIT_VERBS.join(', ')}.`, HOW);
  const dryRun = at(asked, 'dryRun');
  // Whoever leaves it out may not know that it writes.
  if (typeof dryRun !== 'boolean') throw new BadRequest('Is it to be tried, or done?', HOW);
  const given = asObject(at(asked, 'options'));
  if (given === undefined) throw new BadRequest('With which options?', HOW);
  const options: Record<string, string | true> = {};
  for (const [name, value] of Object.entries(given)) options[name] = checked(verb, name, value);
  const session = at(asked, 'session');
  return { verb, options, dryRun, ...(session !== undefined && { session: idOf(asString(session), 'session') }) };
}

function checked(verb: EditVerb, name: string, value: Json | undefined): string | true {
  const shape = Object.hasOwn(SHAPES[verb], name) ? SHAPES[verb][name] : undefined;
  if (shape === undefined) {
    throw new BadRequest(`${verb} has no "${name}" here.`, `Known: ${Object.keys(SHAPES[verb]).join(', ')}`);
  }
  const text = asString(value);
  if (shape === FLAG ? value === true : text !== undefined && shape.test(text)) return text ?? true;
  throw new BadRequest(`That is no ${name}.`, 'Choose another.');
}
