/** What may stand in a request. No name from here ever becomes a path: ids are looked up among those that are known. */
import type { Context } from 'hono';
import { BadRequest } from './errors.ts';

/** As long as the name of a file may be. */
const LONGEST_ID = 255;
/** Ids are names of files or of the client's making: anything but separators and control characters. */
const ID = /^[^/\\\u0000-\u001f\u007f]+$/;

export function idOf(text: string | undefined, what: string): string {
  const fits = text !== undefined && text.length <= LONGEST_ID && ID.test(text) && !/^\.+$/.test(text);
  if (!fits) throw new BadRequest(`That is no id of a ${what}.`);
  return text;
}

export function pathId(c: Context, name: string, what: string): string {
  return idOf(c.req.param(name), what);
}

export function optionalId(c: Context, name: string, what: string): string | undefined {
  const given = c.req.query(name);
  return given === undefined ? undefined : idOf(given, what);
}

export function numberOf(c: Context, name: string, most: number): number | undefined {
  const given = c.req.query(name);
  if (given === undefined) return undefined;
  if (!/^\d{1,9}$/.test(given) || Number(given) > most) {
    throw new BadRequest(`${name} is a whole number up to ${most}.`, 'Ask for another.');
  }
  return Number(given);
}

export function choiceOf<T extends string>(c: Context, name: string, choices: readonly [T, ...T[]]): T {
  const given = c.req.query(name);
  if (given === undefined) return choices[0];
  const found = choices.find((choice) => choice === given);
  if (found === undefined) throw new BadRequest(`${name} is one of ${choices.join(', ')}.`, 'Ask for another.');
  return found;
}

const LONGEST_TEXT = 1000;

export function textOf(c: Context, name: string, longest = LONGEST_TEXT): string {
  const given = c.req.query(name) ?? '';
  refuseControls(name, given);
  if (given.length > longest) throw new BadRequest(`${name} has ${longest} characters at most.`, 'Ask for less.');
  return given;
}

function refuseControls(name: string, text: string): void {
  if (/[\u0000-\u0008\u000e-\u001f]/.test(text)) throw new BadRequest(`${name} holds what is no text.`);
}

/** The parameters of a verb, each with all its values, as they are known by their shapes. */
export function optionsOf(
  c: Context,
  shapes: Readonly<Record<string, RegExp>>,
): Readonly<Record<string, readonly string[]>> {
  const options: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(c.req.queries())) {
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (shape === undefined) {
      throw new BadRequest(`There is no "${name}" to ask for.`, `Known: ${Object.keys(shapes).join(', ')}`);
    }
    for (const value of values) {
      refuseControls(name, value);
      if (!shape.test(value)) throw new BadRequest(`That is no ${name}.`, 'Choose another.');
    }
    options[name] = values;
  }
  return options;
}
