/** `skein team policy`: what leaves this machine, and why. */

import { chooseFiles } from '../../archive/select.ts';
import { type Archive, archiveId, openArchive } from '../../archive/store.ts';
import { TeamError } from '../../team/errors.ts';
import { machineOf, personOf } from '../../team/identity.ts';
import { policyPlaces } from '../../team/policy/read.ts';
import { type Survey, survey } from '../../team/policy/survey.ts';
import type { Policy } from '../../team/policy/types.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { type Masking, openMask } from '../mask.ts';
import { homeOf, policyOf } from './policied.ts';
import { contentWords } from './pushprint.ts';
import { targetOf } from './shared.ts';

/** Exit code 1 when a session that was named does not leave. */
export async function run(context: Context, args: Arguments): Promise<number> {
  const policy = policyOf(context);
  const archive = openArchive(homeOf(context));
  try {
    const chosen = chosenOf(args, archive);
    const found = archive === undefined ? { sessions: [] } : survey(archive, policy, context.home, chosen);
    const who = whoOf(context, args, policy, archive);
    const mask = await openMask(context, args);
    if (args.flag('json')) context.out.write(`${mask.json(toJson(context, policy, who, found, chosen))}\n`);
    else if (chosen === undefined) tellAll(context, policy, who, found);
    else tellChosen(context, policy, found, mask);
    return chosen !== undefined && found.sessions.some(({ allowed }) => !allowed) ? 1 : 0;
  } finally {
    archive?.close();
  }
}

function chosenOf(args: Arguments, archive: Archive | undefined): Set<string> | undefined {
  if (args.positionals.length === 0) return undefined;
  const ids = args.positionals.flatMap((selector) => {
    const files = archive === undefined ? [] : chooseFiles(archive.db, selector).files;
    const found = files.flatMap(({ session }) => session ?? []);
    if (found.length > 0) return found;
    const next = 'Archive it first: skein archive sync. See what is kept: skein archive status';
    throw new CommandError(`Nothing archived fits "${selector}".`, archive?.path ?? 'no archive yet', next);
  });
  return new Set(ids);
}

interface Who {
  readonly login: string | null;
  readonly team: string | null;
  readonly person: string | null;
  readonly machine: string | null;
}

/** Without a team that can be told, who pushes is not known. */
function whoOf(context: Context, args: Arguments, policy: Policy, archive: Archive | undefined): Who {
  const machine = policy.machine ?? (archive === undefined ? null : machineOf(archiveId(archive.db)));
  try {
    const { user, name } = targetOf(context, args);
    return { login: user, team: name, person: policy.person ?? personOf(user), machine };
  } catch (error) {
    if (!(error instanceof TeamError) || args.value('team') !== undefined) throw error;
    return { login: null, team: null, person: policy.person ?? null, machine };
  }
}

function placesOf(context: Context) {
  return policyPlaces({ ...context, env: { ...context.env, SKEIN_HOME: homeOf(context) } });
}

function toJson(context: Context, policy: Policy, who: Who, found: Survey, chosen: ReadonlySet<string> | undefined) {
  const { files, content, names } = policy;
  const held = found.sessions.filter(({ allowed }) => !allowed);
  return {
    content,
    names,
    files: files.map(({ path, managed, content: said = null, allow = null, deny, retention }) => ({
      path,
      managed,
      content: said,
      allow,
      deny,
      retention: Object.fromEntries(retention),
    })),
    places: placesOf(context),
    who,
    sessions: { allowed: found.sessions.length - held.length, held: held.length },
    ...(chosen !== undefined && { chosen: found.sessions, sample: found.sample ?? null }),
  };
}

function tellAll(context: Context, policy: Policy, who: Who, { sessions }: Survey): void {
  const { out } = context;
  const { bold, dim } = out.style;
  const { user, managed } = placesOf(context);
  const line = (name: string, text: string) => out.write(`  ${bold(name.padEnd(10))} ${safeLine(text)}\n`);
  out.write('What leaves this machine with `skein team push`\n');
  line('content', `${policy.content}: lines go ${contentWords(policy.content)}`);
  for (const { path, allow, deny, retention, managed: isManaged } of policy.files) {
    const whose = isManaged ? `managed, ${path}` : path;
    if (allow !== undefined) line('only', `${allow.join(', ') || 'nothing'} (${whose})`);
    if (deny.length > 0) line('never', `${deny.join(', ')} (${whose})`);
    for (const [pattern, kept] of retention) line('kept', `${pattern} as "${kept}" (${whose})`);
  }
  line(
    'person',
    who.person === null ? 'a pseudonym made of the login' : `${who.person}${policy.person ? '' : ' (a pseudonym)'}`,
  );
  line('machine', who.machine === null ? 'a pseudonym' : `${who.machine}${policy.machine ? '' : ' (a pseudonym)'}`);
  if (who.team !== null) line('to', `${who.team}, as ${who.login}`);
  line('stays', 'checkpoints, todos, plans, history.jsonl, and whatever is not archived');
  const held = Map.groupBy(
    sessions.filter(({ allowed }) => !allowed),
    ({ why }) => why,
  );
  const leaving = sessions.filter(({ allowed }) => allowed);
  const size = leaving.reduce((sum, { bytes }) => sum + bytes, 0);
  out.write(
    `\n${counted(leaving.length, 'archived session')} may leave (${humanBytes(size)}), ${sessions.length - leaving.length} stay here\n`,
  );
  for (const [why, each] of [...held].slice(0, 10)) out.write(`  ${dim(`${each.length}: ${safeLine(why)}`)}\n`);
  if (held.size > 10) out.write(`  ${dim(`… and ${held.size - 10} more reasons`)}\n`);
  const files = policy.files.map(({ path }) => path);
  const from =
    files.length > 0 ? `By ${files.join(' and ')}.` : 'There is no policy: the first push shows this and asks.';
  out.write(`\n${from}\n${dim(`A policy stands in ${user}; one that is managed, ${managed}, goes before it.`)}\n`);
}

function tellChosen({ out }: Context, policy: Policy, { sessions, sample }: Survey, mask: Masking): void {
  const { good, bad, dim } = out.style;
  for (const { session, allowed, why, project, retention, bytes } of sessions) {
    const verdict = allowed ? good('leaves') : bad('stays here');
    const how = allowed ? `, content ${policy.content}, kept as "${retention}"` : '';
    out.write(`${session} ${verdict}: ${safeLine(why)}${how}\n`);
    out.write(
      `  ${dim(`${project === undefined ? 'no project is known' : safeLine(project)}, ${humanBytes(bytes)}`)}\n`,
    );
  }
  if (sample === undefined) return;
  out.write(`\n${dim('a line of it here')}\n${safeLine(mask(sample.before))}\n`);
  out.write(`${dim('as it is sent')}\n${sample.after === undefined ? 'it is not sent' : safeLine(sample.after)}\n`);
}
