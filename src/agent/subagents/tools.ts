/** What the session has to work with agents. */
import type { Tool } from '../tools/tool.ts';
import { createSendTool } from './send.ts';
import { type AgentToolParts, createAgentTool } from './tool.ts';

export function createAgentTools(parts: AgentToolParts): Tool[] {
  return [createAgentTool(parts), createSendTool(parts)];
}
