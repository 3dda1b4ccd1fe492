/** Plan mode: the plan of a session, and what the model is told while it may only look. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders, writeFileAtomic } from '../../disk/durable.ts';
import type { Consent } from '../gate.ts';
import type { Mode } from '../permissions/types.ts';
import type { Asked } from '../ports.ts';
import type { Follow } from '../tools/tool.ts';
import { exited, reminder } from './words.ts';

export interface PlanningOptions {
  /** L4: plans lie in `plans/` there. */
  readonly config: string;
  readonly slug: string;
  readonly mode: () => Mode;
  /** Changes the mode and records it. */
  readonly setMode: (mode: Mode) => void;
}

export interface Planning {
  readonly file: string;
  readonly mode: Mode;
  /** The plan as it lies there; undefined where there is none. */
  read(): string | undefined;
  write(plan: string): void;
  enter(): Follow;
  /** The person turns to another mode: a plan that is approved leads back to the one before. */
  turned(to: Mode): void;
  /** Back to what was before, or on to what the person chose. */
  leave(): Follow;
  /** Told with a prompt. */
  withPrompt(): readonly Follow[];
  /** The conversation was compacted: the model has to be told all of it again. */
  forgotten(): void;
  /** Shows the plan to whoever is asked, and remembers what was chosen. */
  showing(ask: (asked: Asked, why: string) => Promise<Consent>): typeof ask;
}

export function createPlanning({ config, slug, mode, setMode }: PlanningOptions): Planning {
  const file = join(config, 'plans', `${slug}.md`);
  let before: Mode = 'default';
  let chosen: Mode | undefined;
  let isTold = false;
  const read = (): string | undefined => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  };
  const tell = (): Follow => {
    const planExists = read() !== undefined;
    const reminderType = isTold ? 'sparse' : 'full';
    isTold = true;
    const attachment = { type: 'plan_mode', reminderType, isSubAgent: false, planFilePath: file, planExists };
    return { kind: 'attachment', attachment, rendered: [reminder(reminderType, file, planExists)] };
  };
  return {
    file,
    get mode() {
      return mode();
    },
    read,
    write: (plan) => {
      makeFolders(dirname(file), false);
      writeFileAtomic(file, Buffer.from(plan));
    },
    enter: () => {
      before = mode();
      isTold = false;
      setMode('plan');
      return tell();
    },
    turned: (to) => {
      if (to !== 'plan' || mode() === 'plan') return;
      before = mode();
      isTold = false;
    },
    leave: () => {
      setMode(chosen ?? before);
      chosen = undefined;
      isTold = false;
      const planExists = read() !== undefined;
      const attachment = { type: 'plan_mode_exit', planFilePath: file, planExists };
      return { kind: 'attachment', attachment, rendered: [exited(file, planExists)] };
    },
    withPrompt: () => (mode() === 'plan' ? [tell()] : []),
    forgotten: () => {
      isTold = false;
    },
    showing: (ask) => async (asked, why) => {
      if (asked.tool.name !== 'ExitPlanMode') return ask(asked, why);
      const plan = asked.input.plan ?? read() ?? '';
      const consent = await ask({ ...asked, input: { ...asked.input, plan } }, '');
      chosen = consent === 'always' ? 'acceptEdits' : undefined;
      return consent;
    },
  };
}
