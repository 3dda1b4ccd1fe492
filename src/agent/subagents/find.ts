import { basename, join } from 'node:path';
import { type CommandPlace, filesIn, projectFolders, toolsOf } from '../commands/find.ts';
import { readMatter, textField } from '../commands/frontmatter.ts';
import { type AgentType, BUILT_IN } from './types.ts';

/** By name. The nearest wins: the folder of the work, those above it, the user's own, ours. */
export function findAgents({ cwd, config }: Pick<CommandPlace, 'cwd' | 'config'>): Map<string, AgentType> {
  const found = new Map<string, AgentType>(BUILT_IN.map((type) => [type.name, type]));
  for (const folder of [config, ...projectFolders(cwd).reverse()]) {
    for (const file of filesIn(join(folder, 'agents'), MOST_DEPTH)) {
      const type = file.endsWith('.md') ? readAgent(file) : undefined;
      if (type !== undefined) found.set(type.name, type);
    }
  }
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
function plainName(tool: string): string {
  const name = tool.replace(/\(.*$/, '');
  return name === 'Task' ? 'Agent' : name;
}
