/** The rule that says "do not ask again" for exactly what was asked, and no more. */
import type { Asked } from '../../agent/ports.ts';
import { asString } from '../../format/json.ts';

/** Undefined where no rule means just this: then it holds for the session alone. */
export function ruleFor({
  tool,
  input,
}: {
  readonly tool: Pick<Asked['tool'], 'name'>;
  readonly input: Asked['input'];
}): string | undefined {
  if (tool.name === 'Bash') {
    const command = asString(input.command)?.trim() ?? '';
    // In a rule these would mean more than the command itself.
    const isPlain = command !== '' && command.length <= 120 && !/[*\\\n\u0000-\u001f\u007f-\u009f]|:$/.test(command);
    return isPlain ? `Bash(${command})` : undefined;
  }
  if (tool.name === 'WebFetch') {
    const host = hostOf(asString(input.url) ?? '');
    return host === undefined ? undefined : `WebFetch(domain:${host})`;
  }
  return tool.name.startsWith('mcp__') ? tool.name : undefined;
}

function hostOf(url: string): string | undefined {
  try {
    const { hostname } = new URL(url);
    return /^[\w.-]+$/.test(hostname) ? hostname : undefined;
  } catch {
    return undefined;
  }
}
