/** `get_context_usage`: how full the context is, as counted at the last answer. What fills it is not told apart. */
import type { Agent } from '../../../agent/agenttypes.ts';
import type { JsonObject } from '../../../format/json.ts';

export function contextUsage(agent: Agent): JsonObject {
  const { used, window } = agent.tokens();
  const free = Math.max(0, window - used);
  return {
    categories: [
      { id: 'messages', name: 'Messages', tokens: used, color: 'text', kind: 'used' },
      { id: 'free_space', name: 'Free space', tokens: free, color: 'inactive', kind: 'free' },
    ],
    totalTokens: used,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: window === 0 ? 0 : Math.round((100 * used) / window),
    gridRows: [],
    model: agent.model,
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    isAutoCompactEnabled: true,
    apiUsage: null,
  };
}
