/** What a person is asked by the model: whether a call may run, which of several answers, whether a plan is good. */
import type { Consent } from '../../agent/gate.ts';
import type { Asked } from '../../agent/ports.ts';
import { asArray, asString, isObject, type JsonObject } from '../../format/json.ts';
import { safeLine } from '../../views/safe.ts';
import { requestLines } from './askedview.ts';
import { type Chosen, type Dialog, dialogOf } from './dialog.ts';
import { broken } from './lines.ts';
import { markdownLines } from './markdown.ts';
import type { Palette } from './palette.ts';

export interface QuestionHost {
  readonly palette: Palette;
  readonly cwd: string;
  /** Undefined when it was cancelled. */
  choose(dialog: Dialog, signal: AbortSignal): Promise<Chosen | undefined>;
  /** The rule that `always` would write down, in words; undefined where it holds for the session alone. */
  ruleFor(asked: Asked): string | undefined;
  /** Writes it. */
  keepRule(rule: string): void;
  /** Ends the turn: a no to an agent ends that agent alone. */
  stop?(): void;
}

export function askPerson(asked: Asked, why: string, host: QuestionHost): Promise<Consent> {
  if (asked.tool.name === 'AskUserQuestion') return askQuestions(asked, host);
  if (asked.tool.name === 'ExitPlanMode') return askForPlan(asked, host);
  if (asked.tool.name === 'EnterPlanMode') return askToPlan(asked, host);
  return askPermission(asked, why, host);
}

const TITLES: Readonly<Record<string, string>> = {
  writes: 'May it change this file?',
  runs: 'May it run this?',
  fetches: 'May it fetch this?',
};

async function askPermission(asked: Asked, why: string, host: QuestionHost): Promise<Consent> {
  const { palette } = host;
  const rule = host.ruleFor(asked);
  // Not for the first prompt: what compares texts comes with it.
  const { plannedHunks } = await import('./plannedhunks.ts');
  const planned = await plannedHunks(asked, host.cwd);
  const who = asked.agent === undefined ? '' : ` (${asked.agent.type} agent)`;
  const always =
    asked.tool.acts === 'writes'
      ? 'Yes, and all edits in this session'
      : rule === undefined
        ? 'Yes, and the same again in this session'
        : `Yes, and do not ask again for ${rule}`;
  const chosen = await host.choose(
    dialogOf({
      title: `${TITLES[asked.tool.acts] ?? 'May it do this?'}${who}`,
      body: (width) => [
        ...requestLines(asked, width, palette, planned),
        ...(why === '' ? [] : broken(why, width).map(palette.dim)),
      ],
      options: [
        { label: 'Yes', key: 'y' },
        { label: always, key: 'a' },
        { label: 'No', key: 'n', takesWords: 'what to do instead, or nothing to stop' },
      ],
      hint: 'y once · a always · n no · esc stops the turn',
    }),
    asked.signal,
  );
  if (chosen?.index === 0) return 'once';
  if (chosen?.index === 1) {
    if (rule !== undefined && asked.tool.acts !== 'writes') host.keepRule(rule);
    return 'always';
  }
  if (chosen === undefined && asked.agent !== undefined) host.stop?.();
  const words = chosen?.words ?? '';
  return words === '' ? 'no' : { deny: `The user said no to this, and: ${words}`, interrupt: false };
}

async function askQuestions({ input, signal }: Asked, host: QuestionHost): Promise<Consent> {
  const answers: JsonObject = {};
  for (const each of asArray(input.questions)?.filter(isObject) ?? []) {
    const question = asString(each.question) ?? '';
    const labels = (asArray(each.options)?.filter(isObject) ?? []).map(({ label, description }) => ({
      label: safeLine(asString(label) ?? ''),
      note: safeLine(asString(description) ?? ''),
    }));
    const options = [...labels, { label: 'Something else', takesWords: 'your own words' }];
    const several = each.multiSelect === true;
    const title = asString(each.header) ?? 'A question';
    const body = (width: number) => broken(question, width).map(host.palette.bold);
    const dialog = dialogOf({ title, body, options, ...(several && { picked: new Set<number>() }) });
    const chosen = await host.choose(dialog, signal);
    if (chosen === undefined) return 'no';
    const own = chosen.index === labels.length ? [chosen.words] : [];
    const picked = chosen.picked.flatMap((i) => labels[i]?.label ?? []);
    const answer = [...picked, ...own].filter((word) => word !== '').join(', ');
    if (answer === '') return 'no';
    answers[question] = answer;
  }
  return { input: { ...input, answers } };
}

async function askForPlan({ input, signal }: Asked, host: QuestionHost): Promise<Consent> {
  const plan = asString(input.plan)?.trim() || '(nothing was written down)';
  const chosen = await host.choose(
    dialogOf({
      title: 'The plan is ready. Carry it out?',
      body: (width) => markdownLines(plan, width, host.palette),
      options: [
        { label: 'Yes', key: 'y' },
        { label: 'Yes, and edit files without asking', key: 'e' },
        { label: 'No, plan on', key: 'n', takesWords: 'what should be different' },
      ],
    }),
    signal,
  );
  if (chosen?.index === 0) return 'once';
  if (chosen?.index === 1) return 'always';
  const words = chosen?.words ?? '';
  return words === '' ? 'no' : { deny: `The user does not want this plan yet: ${words}`, interrupt: false };
}

async function askToPlan({ signal }: Asked, host: QuestionHost): Promise<Consent> {
  const options = [
    { label: 'Yes', key: 'y' },
    { label: 'No', key: 'n' },
  ];
  const chosen = await host.choose(dialogOf({ title: 'It wants to make a plan first. May it?', options }), signal);
  return chosen?.index === 0 ? 'once' : 'no';
}
