/** KillShell: ends a command in the background. */
import { z } from 'zod';
import { unknownShell } from './bashoutput.ts';
import { defineTool } from './define.ts';
import { failed } from './tool.ts';

export const killShell = defineTool({
  name: 'KillShell',
  description: 'Ends a command that runs in the background, with everything it started.',
  input: z.object({ shell_id: z.string().describe('The ID that Bash gave') }),
  acts: 'notes',
  run: async ({ shell_id: id }, { session: { shells } }) => {
    const shell = shells.get(id);
    if (shell === undefined) return failed(unknownShell(id, shells));
    if (shell.status !== 'running') return failed(`The command ${id} does not run any more: ${shell.status}.`);
    const survivors = await shell.kill();
    if (survivors.length > 0) {
      return failed(`These processes of ${id} could not be ended: ${survivors.join(', ')}.`);
    }
    const message = `Ended ${id} (${shell.command}).`;
    return { content: message, result: { message, shell_id: id } };
  },
});
