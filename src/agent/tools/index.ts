/** Every tool, in the order they are told to the model. Whoever needs none of them does not load this. */
import type { Model } from '../ports.ts';
import { bash } from './bash.ts';
import { bashOutput } from './bashoutput.ts';
import { edit } from './edit.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { killShell } from './killshell.ts';
import { multiEdit } from './multiedit.ts';
import { notebookEdit } from './notebookedit.ts';
import { read } from './read.ts';
import { todoWrite } from './todowrite.ts';
import type { Tool } from './tool.ts';
import { webFetch } from './webfetch.ts';
import { createWebSearch } from './websearch.ts';
import { write } from './write.ts';

/** `name`: the model that searches the web. */
export function allTools(model: Model, name: () => string): Tool[] {
  const files = [read, write, edit, multiEdit, notebookEdit, glob, grep];
  return [bash, bashOutput, killShell, ...files, todoWrite, webFetch, createWebSearch(model, name)];
}
