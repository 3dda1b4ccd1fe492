/** Makes a team's database what this version needs, and says what was made, kept and changed. Running it again changes nothing. */
import { createHash } from 'node:crypto';
import { TeamError } from '../errors.ts';
import { accessStatements, ROLES } from './access.ts';
import { fullName, holdingTable, onCluster, type Place, tableStatements } from './definition.ts';
import { nextVersion } from './nextversion.ts';
import { DEFAULT_RETENTION, isSameRetention, type Retention, retentionText, ttlOf } from './retention.ts';
import { checkServer, readState, type Server, type State } from './state.ts';
import { STEPS, type Step } from './steps.ts';
import { TABLES } from './tables.ts';

export interface Plan extends Place {
  /** Days by class, where they shall differ from what is there. */
  readonly retention?: Retention;
  /** Nothing is changed, only told. */
  readonly dryRun?: boolean;
  readonly steps?: readonly Step[];
  /** Called once before anything is changed; its `done` grows from then on, so that it can be told when something fails. */
  readonly onStart?: (soFar: SetUp) => void;
  readonly now?: () => number;
}

/** asked: this login may not; an administrator of the server has to run the statements. */
export type Outcome = 'made' | 'kept' | 'changed' | 'asked';

export interface Done {
  readonly what: string;
  readonly outcome: Outcome;
  readonly detail: string;
  readonly statements: readonly string[];
}

export interface SetUp {
  /** Of the schema, before and after; 0: there was none. */
  readonly from: number;
  readonly to: number;
  readonly done: readonly Done[];
  /** What an administrator should know of this server. */
  readonly warnings: readonly string[];
}

export async function setUpTeam(server: Server, plan: Plan): Promise<SetUp> {
  const { steps = STEPS, dryRun = false, now = Date.now } = plan;
  const warnings = await checkServer(server, plan);
  const state = await readState(server, plan);
  const to = steps.at(-1)?.version ?? 0;
  if (state.version > to) throw newer(server, plan, state.version, to);
  const retention: Retention = new Map([...(state.retention ?? DEFAULT_RETENTION), ...(plan.retention ?? [])]);
  const done: Done[] = [];
  const soFar: SetUp = { from: state.version, to, done, warnings };
  plan.onStart?.(soFar);
  const versions = new Map(state.versions);
  const note = (what: string, outcome: Outcome, detail: string, statements: readonly string[] = []) =>
    done.push({ what, outcome, detail, statements });
  const run = async (statements: readonly string[]) => {
    if (!dryRun) for (const statement of statements) await server.command(statement);
  };
  const write = async (part: string, value: string) => {
    if (dryRun) return;
    const version = nextVersion(versions.get(part), now());
    versions.set(part, BigInt(version));
    const row = JSON.stringify({ part, value, version });
    await server.insert(fullName('schema_version', plan), ['part', 'value', 'version'], [row]);
  };

  for (const step of steps) {
    if (step.version <= state.version) continue;
    const statements = step.statements(plan, retention);
    await run(statements);
    await write('schema', String(step.version));
    note(`step ${step.version}`, state.version === 0 ? 'made' : 'changed', step.what, statements);
  }
  for (const [what, statements] of missingTables(state, plan, retention)) {
    await run(statements);
    note(what, 'made', 'was not there any more', statements);
  }
  if (state.version === to) note('tables', 'kept', `schema ${to}`);

  const altered = state.retention === undefined ? [] : retentionStatements(state, plan, retention);
  await run(altered);
  const days = state.retention === undefined ? 'made' : altered.length > 0 ? 'changed' : 'kept';
  const mended = altered.length > 0 && [...state.tables.values()].some(({ isWrapping }) => isWrapping);
  const counted = mended ? '; what would go after 2105 went at once, now it stays until then' : '';
  note('retention', days, `${retentionText(retention)}${counted}`, altered);

  done.push(...(await setAccess(server, plan, state, write)));
  return soFar;
}

/** Of a schema that should have them. */
function missingTables(state: State, plan: Plan, retention: Retention): [what: string, statements: string[]][] {
  if (state.version === 0) return [];
  return TABLES.filter((table) => !state.tables.has(holdingTable(table, plan)) || !state.tables.has(table.name))
    .filter(() => state.version === (plan.steps ?? STEPS).at(-1)?.version)
    .map((table) => [`table ${table.name}`, tableStatements(table, plan, retention)]);
}

function retentionStatements(state: State, plan: Plan, wanted: Retention): string[] {
  return TABLES.filter(({ expires }) => expires).flatMap((table) => {
    const held = holdingTable(table, plan);
    const there = state.tables.get(held);
    if (there === undefined || (isSameRetention(there.retention, wanted) && !there.isWrapping)) return [];
    return [`ALTER TABLE ${fullName(held, plan)}${onCluster(plan)} MODIFY TTL ${ttlOf(wanted)}`];
  });
}

/** Run each time, as each may be: so that what was taken away by hand comes back. */
async function setAccess(
  server: Server,
  plan: Plan,
  state: State,
  write: (part: string, value: string) => Promise<void>,
): Promise<Done[]> {
  const { roles, policies, grants } = accessStatements(TABLES, plan);
  const all = [...roles, ...policies, ...grants];
  const hash = createHash('sha256').update(all.join('\n')).digest('hex').slice(0, 16);
  const detail = `${Object.keys(ROLES).join(', ')}; ${policies.length} row policies, ${grants.length} grants`;
  const known = state.access === hash;
  const outcome = known ? 'kept' : state.access === undefined ? 'made' : 'changed';
  try {
    if (plan.dryRun !== true) for (const statement of all) await server.command(statement);
  } catch (error) {
    if (!(error instanceof TeamError) || error.kind !== 'denied') throw error;
    if (known)
      return [{ what: 'roles and row policies', outcome: 'kept', detail: 'as they were made last', statements: [] }];
    return [{ what: 'roles and row policies', outcome: 'asked', detail: error.what, statements: all }];
  }
  if (!known) await write('access', hash);
  return [{ what: 'roles and row policies', outcome, detail, statements: known ? [] : all }];
}

function newer(server: Server, { database }: Plan, there: number, here: number): TeamError {
  return new TeamError({
    what: `The team’s schema is newer (${there}) than this Skein knows (${here})`,
    where: `${server.target.name}, database ${database}`,
    next: 'It was not touched. Use a newer Skein.',
    kind: 'other',
  });
}
