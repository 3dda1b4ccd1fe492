/** `skein hook install` and `uninstall`. */
import { resolve } from 'node:path';
import { archiveFolder } from '../../archive/place.ts';
import { areHooksOff } from '../../client/hook/checks.ts';
import { endpointsOf } from '../../client/hook/destinations.ts';
import { keepKeys } from '../../client/hook/keys.ts';
import { hookPlaces } from '../../client/hook/place.ts';
import {
  addHooks,
  EVENTS,
  projectSettings,
  removeHooks,
  settingsRead,
  userSettings,
} from '../../client/hook/settings.ts';
import { sendTestSpan } from '../../client/hook/testspan.ts';
import { DiskError } from '../../disk/errors.ts';
import { AS_HTTP, type Endpoint, isHttp, mayHoldKey } from '../../export/otlp/endpoint.ts';
import { shownAddress } from '../../export/otlp/secrets.ts';
import { settingsOf } from '../../export/otlp/settings.ts';
import { safeLine } from '../../views/safe.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { folderHere } from '../here.ts';
import { jsonText } from '../jsontext.ts';
import { version } from '../mcp/version.ts';
import { ownCommand } from '../owncommand.ts';
import { quoted } from '../quoted.ts';
import { argumentsOf, CHOICES, choiceOf, refuseOthers } from './options.ts';

interface Tested {
  readonly endpoint: string;
  /** null: the test span was taken. */
  readonly problem: string | null;
}

/** Exit code 1 when a test span was not taken. Nothing is changed when a key or an address is missing. */
export async function install(context: Context, args: Arguments): Promise<number> {
  refuseOthers(args, 'install', [...CHOICES, 'project', 'dry-run']);
  const choice = choiceOf(args);
  checkAddress(choice.otlp);
  const dryRun = args.flag('dry-run');
  const file = fileOf(context, args);
  const places = hookPlaces(resolve(context.cwd, archiveFolder(context)));
  const endpoints = endpointsOf(choice, settingsOf(context.env, places.folder));
  if (choice.team !== undefined) await agreeTo(context, choice.team, dryRun);
  const command = quoted(...ownCommand(context), ...argumentsOf(choice));
  // The client ends a hook that does not end itself.
  const seconds = Math.ceil(choice.timeoutMs / 1000) + 5;
  const change = addHooks(file, command, seconds, { dryRun });
  const saved = args.flag('save-keys') && !dryRun ? keepKeys(places.keys, context.env) : [];
  const tested = dryRun ? [] : await Promise.all(endpoints.map((endpoint) => test(endpoint, context)));
  const isFine = tested.every(({ problem }) => problem === null);
  const { changed, backup = null } = change;
  warnOfHooksOff(context, file);
  if (args.flag('json')) {
    writeJson(context, { file, changed, dryRun, backup, command, events: EVENTS, keys: saved, tested });
    return isFine ? 0 : 1;
  }
  const { out } = context;
  const { dim } = out.style;
  if (!changed) out.write(`Nothing to do: it is there. ${dim(file)}\n`);
  else {
    out.write(
      `${dryRun ? 'Would be added' : 'The hook was added'}: ${file}\n  ${dim(command)}\n  ${dim(`on ${EVENTS.join(', ')}`)}\n`,
    );
    if (backup !== null && !dryRun) out.write(`  ${dim(`as it was: ${backup}`)}\n`);
  }
  if (saved.length > 0) out.write(`Keys kept, readable by you alone: ${places.keys}\n`);
  tellTested(context, tested);
  if (changed && !dryRun) out.write(`${dim('Sessions that are running take it up when they are started again.')}\n`);
  return isFine ? 0 : 1;
}

/** There or in other settings that the client reads here; one that cannot be read is doctor's to tell. */
function warnOfHooksOff(context: Context, file: string): void {
  const { err } = context;
  for (const each of new Set([file, ...settingsRead(context, context.cwd)])) {
    try {
      if (!areHooksOff(each)) continue;
      const what = `the client runs no hooks while "disableAllHooks" is set in ${each}`;
      err.write(`${err.style.warn('warning:')} ${safeLine(what)}\n`);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
    }
  }
}

/** It stands in settings.json, which others may read. */
function checkAddress(address: string | undefined): void {
  if (address === undefined) return;
  if (!mayHoldKey(address)) {
    if (isHttp(address)) return;
    throw new UsageError('The endpoint is no http address.', `--otlp ${shownAddress(address)}`, AS_HTTP);
  }
  const next =
    'Give the address alone; keys go into OTEL_EXPORTER_OTLP_HEADERS, in the environment or in export.json of $SKEIN_HOME.';
  throw new UsageError('A key in the address would stand in settings.json.', `--otlp ${shownAddress(address)}`, next);
}

/** Installing it is the word that sessions may be sent there. Throws when the team is not known, or named with its password. */
async function agreeTo(context: Context, team: string, dryRun: boolean): Promise<void> {
  const [{ resolveTarget }, { agree, policyOf, stateOf }] = await Promise.all([
    import('../../team/target.ts'),
    import('../team/policied.ts'),
  ]);
  if (URL.canParse(team) && new URL(team).password !== '') {
    const next = 'Write a profile into team.json of $SKEIN_HOME (docs/team.md) and say --team NAME.';
    throw new UsageError('A password would stand in settings.json.', '--team', next);
  }
  const target = resolveTarget(context, team);
  policyOf(context);
  if (dryRun) return;
  const state = stateOf(context, target);
  agree(state, context.now());
  state.close();
}

function tellTested({ out }: Context, tested: readonly Tested[]): void {
  for (const { endpoint, problem } of tested) {
    if (problem === null) out.write(`${out.style.good('ok')} a test span was taken by ${endpoint}\n`);
    else {
      out.write(`${out.style.bad('not taken')} a test span by ${endpoint}: ${problem}\n`);
      out.write(`  ${out.style.dim('next:')} skein hook doctor\n`);
    }
  }
}

async function test(endpoint: Endpoint, context: Context): Promise<Tested> {
  const problem = await sendTestSpan(endpoint, version(), context.now().getTime());
  return { endpoint: endpoint.shown, problem: problem ?? null };
}

export function uninstall(context: Context, args: Arguments): number {
  refuseOthers(args, 'uninstall', ['project', 'dry-run']);
  const { out } = context;
  const dryRun = args.flag('dry-run');
  const file = fileOf(context, args);
  const { changed, backup = null } = removeHooks(file, { dryRun });
  if (args.flag('json')) writeJson(context, { file, changed, dryRun, backup });
  else if (!changed) out.write(`Nothing to do: it is not there. ${out.style.dim(file)}\n`);
  else {
    out.write(`${dryRun ? 'Would be taken out of' : 'The hook was taken out of'}: ${file}\n`);
    if (backup !== null && !dryRun) out.write(`  ${out.style.dim(`as it was: ${backup}`)}\n`);
  }
  return 0;
}

function fileOf(context: Context, args: Arguments): string {
  return args.flag('project') ? projectSettings(folderHere(context)) : userSettings(context);
}

export function writeJson({ out }: Context, value: unknown): void {
  out.write(`${jsonText(value)}\n`);
}
