/** Passwords on a command line, behind an option of one letter that means something else to other commands. */
import { type Rule, tokenRule } from './rule.ts';
import { isStandIn } from './value.ts';

/** A plain word may be one of a sentence, and numbers are ports. */
function isChosen(value: string): boolean {
  return !isStandIn(value) && !/^[A-Za-z]?[a-z]*$|^[\d.:]+(?:\/[a-z]+)?$/.test(value);
}

/** `option`: most texts that name the command do not have it. */
export function commandRule(
  id: string,
  anchors: readonly string[],
  pattern: string,
  option: string,
  value = VALUE,
): Rule {
  return tokenRule('password', anchors, () => new RegExp(`${pattern}${value}`), {
    id,
    guessable: () => true,
    counts: isChosen,
    mayStand: (text, at) => text.slice(at, at + FARTHEST).includes(option),
  });
}

const FARTHEST = 1000;
export const VALUE = String.raw`["']?(?<secret>(?<=["'])[^\s"']{4,200}|(?<!["'])[^\s"';|&)]{4,200})`;
/** Other options, each perhaps with its value, before the one that is meant. */
const optionsBut = (option: string) =>
  String.raw`(?:\s{1,3}(?!${option})-\S{1,100}(?:\s{1,3}[^\s-]\S{0,100})?){0,8}\s{1,3}`;

export const COMMAND_RULES: readonly Rule[] = [
  commandRule('mysql-password', ['mysql', 'mariadb'], `(?:mysql|mariadb)[a-z-]{0,12}${optionsBut('-p')}-p`, '-p'),
  commandRule(
    'login-password',
    ['docker login', 'podman login', 'nerdctl login', 'helm registry login', 'az login', 'az acr login'],
    String.raw`[a-z]{2,8}(?: [a-z]{3,8})? login(?:\s{1,3}\w[\w.:/-]{0,100})?${optionsBut('-p[\\s=]')}-p[\s=]{1,3}`,
    '-p',
  ),
  commandRule(
    'mongo-password',
    ['mongo'],
    String.raw`mongo[a-z]{0,8}(?:\s{1,3}["']?\w[\w.:/-]{0,200}["']?)?${optionsBut('-p[\\s=]')}-p[\s=]{1,3}`,
    '-p',
  ),
  // `-su me:…`: among other letters.
  commandRule(
    'curl-letters',
    ['curl'],
    String.raw`curl\s(?:[^\n;|&]{0,200}?\s)?-[A-Za-z]{1,8}u\s{1,3}["']?[^\s:"'/]{1,100}:(?!/)`,
    'u ',
  ),
  commandRule(
    'redis-password',
    ['redis-cli'],
    String.raw`redis-cli${optionsBut('(?:-a|--pass)[\\s=]')}(?:-a|--pass)[\s=]{1,3}`,
    '-',
  ),
];
