import { basename, join } from 'node:path';
import { type CommandPlace, filesIn, sourceFolders, toolsOf } from '../commands/find.ts';
import { readMatter, textField } from '../commands/frontmatter.ts';
import { type AgentType, BUILT_IN } from './types.ts';

export interface AgentPlace extends Omit<CommandPlace, 'home'> {
  /** Those that were handed in. */
  readonly agents?: readonly AgentType[];
}

/** By name. The nearest wins: what was handed in, the folder of the work, those above it, the user's own, ours. */
export function findAgents({ agents = [], ...place }: AgentPlace): Map<string, AgentType> {
  const found = new Map<string, AgentType>(BUILT_IN.map((type) => [type.name, type]));
  const folders = sourceFolders(place);
  const isUsers = (folder: string) => folder === place.config;
  const nearestLast = folders.filter((folder) => !isUsers(folder)).reverse();
  for (const folder of [...folders.filter(isUsers), ...nearestLast]) {
    for (const file of filesIn(join(folder, 'agents'), MOST_DEPTH)) {
      const type = file.endsWith('.md') ? readAgent(file) : undefined;
      if (type !== undefined) found.set(type.name, type);
    }
  }
  for (const type of agents) found.set(type.name, type);
  return found;
}

const MOST_DEPTH = 8;

/** Undefined for a file that does not say that it is one. */
function readAgent(file: string): AgentType | undefined {
  const matter = readMatter(file);
  if (matter === undefined) return undefined;
  const { fields, body } = matter;
  const name = textField(fields, 'name');
  const description = textField(fields, 'description');
  if (description === undefined || body.trim() === '') return undefined;
  const model = textField(fields, 'model');
  const tools = fields.tools === undefined || fields.tools === '' ? undefined : toolsOf(fields.tools).map(plainName);
  return {
    name: name ?? basename(file, '.md'),
    description,
    prompt: body.trim(),
    ...(tools !== undefined && !tools.includes('*') && { tools }),
    without: toolsOf(fields.disallowedTools).map(plainName),
    ...(model !== undefined && model !== 'inherit' && { model }),
    isBuiltIn: false,
    isReadOnly: false,
  };
}

/** `Bash(git:*)` names a tool; what of it may run is for the rules to say. */
export function plainName(tool: string): string {
  const name = tool.replace(/\(.*$/, '');
  return name === 'Task' ? 'Agent' : name;
}
