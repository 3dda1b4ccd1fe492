/** What the model asks a person, line by line: questions to choose from, and whether a plan is good. */
import type { Consent } from '../../agent/gate.ts';
import type { Asked } from '../../agent/ports.ts';
import { asArray, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import type { Terminal } from '../terminal.ts';

export interface Desk {
  readonly style: Pick<Terminal['style'], 'bold' | 'dim' | 'warn'>;
  line(text: string): void;
  /** The next line; undefined when none comes. */
  answer(question: string): Promise<string | undefined>;
}

/** Undefined for calls that are asked about as all are. */
export function askSpecially({ tool, input }: Asked, desk: Desk): Promise<Consent> | undefined {
  if (tool.name === 'AskUserQuestion') return askQuestions(input, desk);
  if (tool.name === 'ExitPlanMode') return askForPlan(input, desk);
  return tool.name === 'EnterPlanMode' ? askToPlan(desk) : undefined;
}

async function askQuestions(input: JsonObject, desk: Desk): Promise<Consent> {
  const { style } = desk;
  const answers: JsonObject = {};
  for (const each of asArray(input.questions)?.filter(isObject) ?? []) {
    const options = asArray(each.options)?.filter(isObject) ?? [];
    const question = asString(each.question) ?? '';
    desk.line(`${style.warn('?')} ${style.bold(safeLine(question))}`);
    for (const [i, { label, description }] of options.entries()) {
      desk.line(`  ${i + 1} ${words(label)}${style.dim(`  ${words(description)}`)}`);
    }
    const several = each.multiSelect === true;
    const how = several ? '  numbers, or your own words: ' : '  a number, or your own words: ';
    const answer = await chosen(
      options.map(({ label }) => asString(label) ?? ''),
      several,
      () => desk.answer(how),
    );
    if (answer === undefined) return 'no';
    answers[question] = answer;
  }
  return { input: { ...input, answers } };
}

/** Asked again as long as nothing is said. */
async function chosen(
  labels: readonly string[],
  several: boolean,
  next: () => Promise<string | undefined>,
): Promise<string | undefined> {
  for (;;) {
    const said = (await next())?.trim();
    if (said === undefined) return undefined;
    if (said !== '') return choiceOf(said, labels, several);
  }
}

/** Numbers of options become their labels; anything else stands as it was said. */
export function choiceOf(said: string, labels: readonly string[], several: boolean): string {
  const parts = several ? said.split(/[\s,]+/).filter((part) => part !== '') : [said];
  const picked = parts.map((part) => (/^\d+$/.test(part) ? labels[Number(part) - 1] : undefined));
  return picked.every((label) => label !== undefined) ? [...new Set(picked)].join(', ') : said;
}

async function askForPlan(input: JsonObject, desk: Desk): Promise<Consent> {
  const { style } = desk;
  const plan = asString(input.plan) ?? '';
  desk.line(`${style.warn('?')} ${style.bold('The plan')}`);
  desk.line(plan.trim() === '' ? style.dim('  (nothing was written down)') : safeText(plan).trimEnd());
  const said = await desk.answer('  carry it out? y(es), e(dit files without asking, too), n(o, plan on) ');
  if (/^\s*e(?:dit)?\s*$/i.test(said ?? '')) return 'always';
  return isYes(said) ? 'once' : 'no';
}

async function askToPlan(desk: Desk): Promise<Consent> {
  desk.line(`${desk.style.warn('?')} ${desk.style.bold('It wants to make a plan first')}`);
  return isYes(await desk.answer('  plan first? y(es), n(o) ')) ? 'once' : 'no';
}

function isYes(said: string | undefined): boolean {
  return /^\s*y(?:es)?\s*$/i.test(said ?? '');
}

function words(value: Json | undefined): string {
  return safeLine(asString(value) ?? '');
}
