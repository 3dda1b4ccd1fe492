/** What the model is told of plan mode. The results of the tools are the client's words: others look for them. */

export const ENTERED =
  'Entered plan mode. You should now focus on exploring the codebase and designing an implementation approach.';

export const LEFT = 'User has approved exiting plan mode. You can now proceed.';

export function approved(plan: string, file: string): string {
  return `User has approved your plan. You can now start coding. Start with updating your todo list if applicable

Your plan has been saved to: ${file}
You can refer back to it if needed during implementation.

## Approved Plan:
${plan}`;
}

/** Told with every prompt while it holds. */
export function reminder(kind: 'full' | 'sparse', file: string, planExists: boolean): string {
  const brief =
    'Plan mode is on for this prompt: look, think and plan, but change nothing. Tools that write or run what changes something are refused.';
  if (kind === 'sparse') return inReminder(`${brief} The plan belongs into ${file}; show it with ExitPlanMode.`);
  return inReminder(`${brief}

- Read what matters until you know what is to be done and how it fits the code that is there.
- Where the request can be understood in ways that lead to different work, ask first.
- ${planExists ? 'There is a plan already: read it and go on with it.' : 'There is no plan yet.'} Keep it in ${file}, the one file that you may write now, or give it to ExitPlanMode as \`plan\`. Say what will be changed where, in which order, and how it will be checked.
- When the plan is ready call ExitPlanMode: the user sees it and decides. Do not ask in words whether it is good. For a mere question, answer it instead; no plan is needed.`);
}

export function exited(file: string, planExists: boolean): string {
  return inReminder(
    `Plan mode is over: you may change files and run commands again.${planExists ? ` The plan lies in ${file}.` : ''}`,
  );
}

function inReminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}
