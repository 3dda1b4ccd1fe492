/** The settings that whoever manages a machine gives the client. They hold whatever others say. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const MANAGED: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
};

export function managedFolder(): string {
  return MANAGED[process.platform] ?? '/etc/claude-code';
}

/** Where they may lie, the strongest first: those of the folder are added to the one file, the last of them the strongest. */
export function managedFiles(folder = managedFolder()): string[] {
  return [...partsIn(join(folder, 'managed-settings.d')), join(folder, 'managed-settings.json')];
}

function partsIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
    return names
      .sort()
      .reverse()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
