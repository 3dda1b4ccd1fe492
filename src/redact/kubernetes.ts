/** What a Secret of Kubernetes holds, in YAML or JSON: under `data` in base64, under `stringData` as it is. */
import type { Found, Rule } from './rule.ts';
import { isStandIn } from './value.ts';

/** How far from its kind a document may go. */
const FARTHEST = 8000;
export const kubernetesSecretRule: Rule = {
  id: 'kubernetes-secret',
  kind: 'secret',
  anchors: ['kind:\\ Secret', 'kind": ?"Secret"'],
  find(text, places) {
    const found: Found[] = [];
    let seen = 0;
    for (const at of places) {
      if (at < seen || /\w/.test(text[text.indexOf('Secret', at) + 6] ?? '')) continue;
      const before = text.slice(Math.max(seen, at - FARTHEST), at);
      const from = at - before.length + (before.lastIndexOf('\n---') + 1);
      const after = text.slice(at, at + FARTHEST).split('\n---', 1)[0] ?? '';
      seen = at + after.length;
      const document = text.slice(from, seen);
      const isJson = text.startsWith('kind"', at);
      const values = isJson ? valuesInJson(document) : [...valuesInYaml(document), ...valuesInLine(document)];
      for (const [start, end] of values)
        found.push({ kind: 'secret', start: from + start, end: from + end, guessable: true });
    }
    return found;
  },
};

type Range = readonly [start: number, end: number];

function* valuesInYaml(document: string): Generator<Range> {
  const SECTION = /^(?<indent>(?:[ \t]{0,40}\d{1,7}[→|\t])?[+ -]?[ \t-]{0,40})(?:stringD|d)ata:[ \t]{0,3}$/;
  const MEMBER =
    /^(?<indent>(?:[ \t]{0,40}\d{1,7}[→|\t])?[+ -]?[ \t]{1,40})[\w.-]{1,253}:[ \t]{1,3}["']?(?<value>[^\s"'|>](?:[^"'\r\n]|["'](?![\s,}\])]|$)){2,4000})(?:["'](?=[\s,}\])]|$)[^\r\n]{0,8000})?$/d;
  let section: { indent: number; isPlain: boolean } | undefined;
  let at = 0;
  for (const line of document.split('\n')) {
    const indent = SECTION.exec(line)?.groups?.indent;
    if (indent !== undefined) section = { indent: indent.length, isPlain: line.includes('stringData') };
    else if (section) {
      const match = MEMBER.exec(line);
      const range = match?.indices?.groups?.value;
      if (!range || (match?.groups?.indent?.length ?? 0) <= section.indent) section = undefined;
      else if (isKept(line.slice(...range), section.isPlain)) yield [at + range[0], at + range[1]];
    }
    at += line.length + 1;
  }
}

/** Without its line breaks, as in a title. */
function* valuesInLine(document: string): Generator<Range> {
  const IN_LINE = / (?<section>stringData|data):(?<members>(?: [\w.-]{1,253}: \S{3,4000}){1,100})/dg;
  const MEMBER_IN_LINE =
    / (?!(?:type|kind|metadata|immutable):)[\w.-]{1,253}: ["']?(?<value>\S{3,4000}?)["'}\],]{0,6}(?= |$)/dg;
  for (const { groups, indices } of document.matchAll(IN_LINE)) {
    const from = indices?.groups?.members?.[0] ?? 0;
    for (const member of (groups?.members ?? '').matchAll(MEMBER_IN_LINE)) {
      const range = member.indices?.groups?.value;
      if (range && isKept(member.groups?.value ?? '', groups?.section === 'stringData'))
        yield [from + range[0], from + range[1]];
    }
  }
}

function* valuesInJson(document: string): Generator<Range> {
  const IN_JSON = /"(?<section>stringData|data)":\s{0,20}\{(?<members>[^{}]{1,8000})\}/dg;
  const MEMBER_IN_JSON = /"[\w.-]{1,253}":\s{0,3}"(?<value>[^"]{3,4000})"/dg;
  for (const { groups, indices } of document.matchAll(IN_JSON)) {
    const from = indices?.groups?.members?.[0] ?? 0;
    for (const member of (groups?.members ?? '').matchAll(MEMBER_IN_JSON)) {
      const range = member.indices?.groups?.value;
      if (range && isKept(member.groups?.value ?? '', groups?.section === 'stringData'))
        yield [from + range[0], from + range[1]];
    }
  }
}

function isKept(value: string, isPlain: boolean): boolean {
  return (
    !isStandIn(value) && (isPlain || /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value))
  );
}
