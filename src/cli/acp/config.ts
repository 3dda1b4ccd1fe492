/** What can be set in a session: the permission mode and the model. */
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { Agent } from '../../agent/agenttypes.ts';
import type { Mode } from '../../agent/gate.ts';
import { modelId } from '../../agent/model/models.ts';

const MODES: Readonly<Record<Mode, readonly [name: string, description: string]>> = {
  default: ['Ask', 'Asks before anything is changed, run or fetched'],
  acceptEdits: ['Accept edits', 'Changes files of the project unasked; asks before anything else'],
  plan: ['Plan', 'Only looks, and makes a plan'],
  dontAsk: ["Don't ask", 'Denies what it would have to ask about'],
  bypassPermissions: ['Bypass permissions', 'Never asks'],
};

/** Never asking is offered only where it was asked for when the program was started. */
export function modesFor(mayBypass: boolean): Mode[] {
  const all: Mode[] = ['default', 'acceptEdits', 'plan', 'dontAsk'];
  return mayBypass ? [...all, 'bypassPermissions'] : all;
}

export function modeState(agent: Agent, modes: readonly Mode[]): SessionModeState {
  return {
    currentModeId: agent.mode,
    availableModes: modes.map((id) => ({ id, name: MODES[id][0], description: MODES[id][1] })),
  };
}

const MODELS = ['opus', 'sonnet', 'haiku', 'fable'];

export function configOptions(agent: Agent, modes: readonly Mode[]): SessionConfigOption[] {
  const models = new Map(MODELS.map((name) => [modelId(name), name]));
  if (!models.has(agent.model)) models.set(agent.model, agent.model);
  return [
    {
      id: 'mode',
      type: 'select',
      name: 'Permissions',
      category: 'mode',
      currentValue: agent.mode,
      options: modes.map((value) => ({ value, name: MODES[value][0], description: MODES[value][1] })),
    },
    {
      id: 'model',
      type: 'select',
      name: 'Model',
      category: 'model',
      currentValue: agent.model,
      options: [...models].map(([value, name]) => ({
        value,
        name: name === value ? name : name.charAt(0).toUpperCase() + name.slice(1),
        ...(name !== value && { description: value }),
      })),
    },
  ];
}
