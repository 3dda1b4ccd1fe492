/** What hooks hear of an agent: where the session has a prompt and a stop, it has its own start and stop; else who it is (U1). */
import type { Hooks } from '../ports.ts';

export interface Who {
  readonly id: string;
  readonly type: string;
  /** Its transcript. */
  readonly file: string;
}

export function agentHooks(hooks: Hooks, { id, type, file }: Who): Hooks {
  const who = { agent_id: id, agent_type: type };
  return {
    run: async (event, fields, signal) => {
      if (event === 'UserPromptSubmit') {
        // Its prompt is the model's: nobody may stop it here.
        const { entries = [] } = await hooks.run('SubagentStart', who, signal);
        return { entries };
      }
      // Its compaction begins nothing that the session would.
      if (event === 'SessionStart') return {};
      if (event === 'Stop') {
        const { stop_hook_active, ...rest } = fields;
        const told = { ...who, stop_hook_active: stop_hook_active ?? false, agent_transcript_path: file, ...rest };
        return hooks.run('SubagentStop', told, signal);
      }
      return hooks.run(event, { ...who, ...fields }, signal);
    },
  };
}
