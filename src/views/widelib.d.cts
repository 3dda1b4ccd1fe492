import type { Options } from 'wrap-ansi';
export function stringWidth(text: string): number;
export function wrapAnsi(text: string, columns: number, options?: Options): string;
