/** The names that servers have for the model, for rules and for commands: as the published client makes them. */

export function safeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_');
}

export function toolName(server: string, tool: string): string {
  return `mcp__${safeName(server)}__${safeName(tool)}`;
}

/** What the API takes for the name of a tool. */
export function isToolName(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,128}$/.test(name);
}
