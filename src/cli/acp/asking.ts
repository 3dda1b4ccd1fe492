/** Asks the person in the editor: before a call runs, what to choose, and whether a plan is good. */
import type {
  CreateElicitationResponse,
  ElicitationSchema,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { Consent } from '../../agent/gate.ts';
import type { Asked } from '../../agent/ports.ts';
import type { JsonObject } from '../../format/json.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import { ruleFor } from '../console/rules.ts';
import { describeCall, textContent } from './calls.ts';
import { answersIn, formOf, questionsOf } from './form.ts';

/** Rejects when nobody can answer any more. */
export type Request = (
  request: Omit<RequestPermissionRequest, 'sessionId'>,
  signal: AbortSignal,
) => Promise<RequestPermissionResponse>;

export type Elicit = (
  form: { readonly toolCallId: string; readonly message: string; readonly requestedSchema: ElicitationSchema },
  signal: AbortSignal,
) => Promise<CreateElicitationResponse>;

export interface AskingParts {
  readonly request: Request;
  /** Shows a form, where the editor can. */
  readonly elicit: Elicit | undefined;
  readonly cwd: () => string;
  readonly notice: (words: string) => void;
  /** Writes down what need not be asked again. */
  readonly keepRule: (rule: string) => void;
}

export function createAsking({ request, elicit, cwd, notice, keepRule }: AskingParts) {
  /** The id of what was chosen; undefined when nothing was. */
  const choose = async (asked: Asked, title: string, words: readonly string[], options: PermissionOption[]) => {
    const { title: usual, content, ...call } = describeCall(asked.tool.name, asked.input, cwd());
    const said = words.filter((each) => each !== '').map((each) => textContent(safeText(each)));
    const whose = asked.agent === undefined ? usual : `${asked.agent.type}: ${usual}`;
    const toolCall = { toolCallId: asked.id, status: 'pending' as const, title: title || whose, ...call };
    try {
      const { outcome } = await request(
        { toolCall: { ...toolCall, content: [...content, ...said] }, options },
        asked.signal,
      );
      const id = outcome.outcome === 'selected' ? outcome.optionId : undefined;
      return options.some(({ optionId }) => optionId === id) ? id : undefined;
    } catch (error) {
      if (!asked.signal.aborted) notice(`The editor could not be asked: ${String(error)}`);
      return undefined;
    }
  };

  const askQuestions = async (asked: Asked): Promise<Consent> => {
    const answers: JsonObject = {};
    for (const { question, options } of questionsOf(asked.input)) {
      const shown = options.map(({ label }, i) => option(`answer-${i}`, label, 'allow_once'));
      const told = options.map(({ label, description }) => `- ${label}: ${description}`).join('\n');
      const none = option('none', 'None of these', 'reject_once');
      const id = await choose(asked, safeLine(question), [told], [...shown, none]);
      if (id === undefined) return 'no';
      answers[question] = options[shown.findIndex(({ optionId }) => optionId === id)]?.label ?? none.name;
    }
    return { input: { ...asked.input, answers } };
  };

  /** All questions at once, several answers and own words where they may be. */
  const askByForm = async (asked: Asked, show: Elicit): Promise<Consent> => {
    try {
      const form = { toolCallId: asked.id, message: 'A few questions', requestedSchema: formOf(asked.input) };
      const answers = answersIn(asked.input, await show(form, asked.signal));
      return answers === undefined ? 'no' : { input: { ...asked.input, answers } };
    } catch {
      return 'no';
    }
  };

  return async (asked: Asked, why: string): Promise<Consent> => {
    if (asked.tool.name === 'AskUserQuestion') return elicit ? askByForm(asked, elicit) : askQuestions(asked);
    const special = OPTIONS[asked.tool.name];
    const rule = asked.tool.acts === 'writes' ? undefined : ruleFor(asked);
    const id = await choose(asked, '', [why], special ?? usual(asked, rule));
    if (id === 'always' && special === undefined && rule !== undefined) keepRule(rule);
    if (id === 'once' || id === 'always') return id;
    // A call that is refused is that call: what else the turn does goes on. Nothing chosen, or a plan that is not good, ends it.
    return id === 'no' && asked.tool.name !== 'ExitPlanMode' ? REFUSED : 'no';
  };
}

const REFUSED: Consent = {
  deny: 'The user does not want this call, so it was not run. Do without it, or ask what they want instead.',
  interrupt: false,
};

function usual({ tool }: Asked, rule: string | undefined): PermissionOption[] {
  const what = tool.acts === 'writes' ? 'edits in this session' : (rule ?? 'this, in this session');
  return [
    option('once', 'Allow', 'allow_once'),
    option('always', `Always allow ${what}`, 'allow_always'),
    option('no', 'Reject', 'reject_once'),
  ];
}

const OPTIONS: Readonly<Record<string, PermissionOption[]>> = {
  ExitPlanMode: [
    option('once', 'Carry it out', 'allow_once'),
    option('always', 'Carry it out, and edit files without asking', 'allow_always'),
    option('no', 'Plan on', 'reject_once'),
  ],
  EnterPlanMode: [option('once', 'Plan first', 'allow_once'), option('no', 'Go on without a plan', 'reject_once')],
};

function option(optionId: string, name: string, kind: PermissionOption['kind']): PermissionOption {
  return { optionId, name: safeLine(name), kind };
}
