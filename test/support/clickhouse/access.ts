/**
 * Users, roles, grants and row policies. The engine in process cannot keep them (it has no storage for access entities), so they are
 * kept here and handed to it as users.xml, roles expanded to each user: the engine then checks grants and filters rows itself.
 * Statements are understood in the forms that src/team/schema and the guide use; any other is refused.
 */
import { createHash } from 'node:crypto';
import { asLogin, bare, notUnderstood, SqlError, wordsOf } from './sql.ts';

interface Grant {
  readonly privilege: string;
  /** Undefined: all. */
  readonly columns?: readonly string[];
  readonly database: string;
  readonly table: string;
}

interface Policy {
  readonly database: string;
  readonly table: string;
  readonly using: string;
  readonly to: readonly string[];
}

export interface Access {
  /** Takes a statement in; false: it is none of access control. */
  apply(sql: string): boolean;
  /** A login with its password. */
  isRight(login: string, password: string): boolean;
  has(login: string, privilege: string, database: string, table: string, columns?: readonly string[]): boolean;
  /** What the engine calls this login. */
  engineName(login: string): string;
  usersXml(): string;
  /** Grows with every change. */
  readonly edition: number;
}

const FIRST = /^(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:USER|ROLE|ROW|POLICY)\b|^(?:GRANT|REVOKE)\b/i;

export function isAccessStatement(sql: string): boolean {
  return FIRST.test(sql.trim());
}

export function createAccess(admin: string, adminPassword: string): Access {
  const passwords = new Map([[admin, sha256(adminPassword)]]);
  const roles = new Set<string>();
  const rolesOf = new Map<string, Set<string>>();
  const grants = new Map<string, Grant[]>();
  const policies = new Map<string, Policy>();
  let edition = 0;

  const isKnown = (name: string) => roles.has(name) || passwords.has(name);
  const mustKnow = (name: string) => {
    if (!isKnown(name)) throw new SqlError(511, `There is no role \`${name}\` in \`user directories\``, 'UNKNOWN_ROLE');
  };
  const grantsOf = (login: string) =>
    [login, ...(rolesOf.get(login) ?? [])].flatMap((grantee) => grants.get(grantee) ?? []);

  function create(words: Words): void {
    const replace = words.skip('OR', 'REPLACE');
    if (words.skip('ROLE')) {
      const kept = words.skip('IF', 'NOT', 'EXISTS');
      const name = words.name();
      words.cluster();
      if (!kept && roles.has(name)) throw exists(name);
      roles.add(name);
    } else if (words.skip('USER')) {
      const kept = words.skip('IF', 'NOT', 'EXISTS');
      const name = words.name();
      words.cluster();
      const hash = words.identified();
      if (passwords.has(name) && !kept && !replace) throw exists(name);
      if (!passwords.has(name) || replace) passwords.set(name, hash);
    } else if (words.skip('ROW', 'POLICY')) {
      const kept = words.skip('IF', 'NOT', 'EXISTS');
      const again = words.skip('OR', 'REPLACE');
      const name = words.name();
      words.cluster();
      words.must('ON');
      const place = words.place();
      words.skip('AS', 'PERMISSIVE');
      words.skip('FOR', 'SELECT');
      words.must('USING');
      const using = words.until('TO');
      words.must('TO');
      const to = words.names();
      to.forEach(mustKnow);
      const key = `${place.database}.${place.table}.${name}`;
      if (policies.has(key) && !kept && !again) throw exists(name);
      if (!policies.has(key) || again) policies.set(key, { ...place, using, to });
    } else throw notUnderstood(words.text);
  }

  function drop(words: Words): void {
    if (words.skip('ROW', 'POLICY')) {
      words.skip('IF', 'EXISTS');
      const name = words.name();
      words.cluster();
      words.must('ON');
      const { database, table } = words.place();
      policies.delete(`${database}.${table}.${name}`);
    } else if (words.skip('USER')) {
      words.skip('IF', 'EXISTS');
      const name = words.name();
      passwords.delete(name);
      rolesOf.delete(name);
      grants.delete(name);
    } else throw notUnderstood(words.text);
  }

  function grant(words: Words): void {
    words.cluster();
    const given = words.privileges();
    if (words.skip('ON')) {
      const place = words.place();
      words.must('TO');
      for (const to of words.names()) {
        mustKnow(to);
        grants.set(to, [...(grants.get(to) ?? []), ...given.map((each) => ({ ...each, ...place }))]);
      }
    } else {
      words.must('TO');
      for (const { privilege } of given) if (!roles.has(privilege)) mustKnow(privilege);
      for (const to of words.names()) {
        mustKnow(to);
        rolesOf.set(to, new Set([...(rolesOf.get(to) ?? []), ...given.map(({ privilege }) => privilege)]));
      }
    }
  }

  /** All a grantee has of these privileges there, whatever the columns; or a role. */
  function revoke(words: Words): void {
    words.cluster();
    const given = words.privileges();
    const place = words.skip('ON') ? words.place() : undefined;
    words.must('FROM');
    for (const from of words.names()) {
      if (place === undefined) for (const { privilege } of given) rolesOf.get(from)?.delete(privilege);
      else {
        const stays = (each: Grant) =>
          each.database !== place.database ||
          each.table !== place.table ||
          !given.some(({ privilege }) => privilege === each.privilege || privilege === 'ALL');
        grants.set(from, (grants.get(from) ?? []).filter(stays));
      }
    }
  }

  function engineName(login: string): string {
    if (login === admin || /^[a-z][\w-]*$/i.test(login)) return login;
    return `login-${Buffer.from(login).toString('hex')}`;
  }

  function userXml(login: string): string {
    const all = grantsOf(login).map(({ privilege, columns, database, table }) => {
      const some = columns === undefined ? '' : `(${columns.join(', ')})`;
      return `<query>${xml(`GRANT ${privilege}${some} ON ${database}.${table}`)}</query>`;
    });
    // Without any grant listed a user of users.xml may do everything.
    if (all.length === 0) all.push('<query>GRANT SHOW DATABASES ON *.*</query>');
    const filters = new Map<string, Map<string, string[]>>();
    for (const { database, table, using, to } of policies.values()) {
      if (!to.some((grantee) => grantee === login || rolesOf.get(login)?.has(grantee))) continue;
      if (!/^[a-z_]\w*$/i.test(database)) throw notUnderstood(`a policy in the database ${database}`);
      const tables = filters.get(database) ?? new Map<string, string[]>();
      filters.set(database, tables.set(table, [...(tables.get(table) ?? []), `(${asLogin(using, login)})`]));
    }
    const rows = [...filters].map(([database, tables]) => {
      const inner = [...tables].map(
        ([table, some]) => `<${table}><filter>${xml(some.join(' OR '))}</filter></${table}>`,
      );
      return `<${database}>${inner.join('')}</${database}>`;
    });
    const name = engineName(login);
    return `<${name}><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota><grants>${all.join('')}</grants><databases>${rows.join('')}</databases></${name}>`;
  }

  return {
    apply(sql) {
      if (!isAccessStatement(sql)) return false;
      const words = createWords(sql);
      if (words.skip('CREATE')) create(words);
      else if (words.skip('DROP')) drop(words);
      else if (words.skip('GRANT')) grant(words);
      else if (words.skip('REVOKE')) revoke(words);
      else throw notUnderstood(sql);
      words.end();
      edition++;
      return true;
    },
    isRight: (login, password) => passwords.get(login) === sha256(password),
    has(login, privilege, database, table, columns) {
      const fitting = grantsOf(login).filter(
        (each) =>
          (each.privilege === privilege || each.privilege === 'ALL') &&
          (each.database === '*' || each.database === database) &&
          (each.table === '*' || each.table === table),
      );
      if (fitting.some((each) => each.columns === undefined)) return true;
      const granted = new Set(fitting.flatMap((each) => each.columns ?? []));
      return columns !== undefined && columns.length > 0 && columns.every((column) => granted.has(column));
    },
    engineName,
    usersXml() {
      const others = [...passwords.keys()].filter((login) => login !== admin).map(userXml);
      // Parameters become part of the statement here: the server checks how long that was before.
      return `<clickhouse><profiles><default><max_query_size>1000000000</max_query_size></default></profiles><quotas><default/></quotas><users><${admin}><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota><access_management>1</access_management></${admin}>${others.join('')}</users></clickhouse>`;
    },
    get edition() {
      return edition;
    },
  };
}

type Words = ReturnType<typeof createWords>;

/** A statement's words, taken one after the other. */
function createWords(sql: string) {
  const all = wordsOf(sql.trim().replace(/;$/, ''));
  let at = 0;
  const upper = (place: number) => (all[place] ?? '').toUpperCase();
  const words = {
    text: sql,
    skip(...expected: string[]): boolean {
      if (!expected.every((word, i) => upper(at + i) === word)) return false;
      at += expected.length;
      return true;
    },
    must(...expected: string[]): void {
      if (!words.skip(...expected))
        throw notUnderstood(`${expected.join(' ')} expected at "${all.slice(at).join(' ')}"`);
    },
    name(): string {
      const token = all[at++] ?? '';
      if (!/^[\w`"']/.test(token)) throw notUnderstood(`a name expected at "${token}" of ${sql}`);
      return bare(token);
    },
    names(): string[] {
      const some = [words.name()];
      while (words.skip(',')) some.push(words.name());
      return some;
    },
    cluster(): void {
      if (words.skip('ON', 'CLUSTER')) words.name();
    },
    star(): string {
      return words.skip('*') ? '*' : words.name();
    },
    place(): { database: string; table: string } {
      const database = words.star();
      words.must('.');
      return { database, table: words.star() };
    },
    privileges(): { privilege: string; columns?: readonly string[] }[] {
      const some: { privilege: string; columns?: readonly string[] }[] = [];
      do {
        const privilege: string[] = [];
        while (/^[\w`"]/.test(all[at] ?? '') && !['ON', 'TO', 'FROM'].includes(upper(at))) privilege.push(words.name());
        const columns = words.skip('(') ? words.names() : undefined;
        if (columns !== undefined) words.must(')');
        some.push({ privilege: privilege.join(' '), ...(columns && { columns }) });
      } while (words.skip(','));
      return some;
    },
    /** The words up to one that stands outside of brackets, as text. */
    until(end: string): string {
      const some: string[] = [];
      for (let depth = 0; at < all.length && (depth > 0 || upper(at) !== end); at++) {
        if (all[at] === '(') depth++;
        if (all[at] === ')') depth--;
        some.push(all[at] ?? '');
      }
      // A space between all, but not within `a.b`.
      return some.join(' ').replace(/ \. /g, '.');
    },
    identified(): string {
      words.must('IDENTIFIED');
      if (words.skip('WITH', 'SHA256_HASH', 'BY')) return words.name().toLowerCase();
      if (words.skip('WITH')) words.must('SHA256_PASSWORD');
      words.must('BY');
      return sha256(words.name());
    },
    end(): void {
      if (at < all.length) throw notUnderstood(`"${all.slice(at).join(' ')}" of ${sql}`);
    },
  };
  return words;
}

function exists(name: string): SqlError {
  return new SqlError(493, `\`${name}\` already exists in \`user directories\``, 'ACCESS_ENTITY_ALREADY_EXISTS');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
