/** From a table as data to the statements that make it, on one server or on a cluster. */
import { named, quoted } from './quote.ts';
import { type Retention, ttlOf } from './retention.ts';
import { type Column, isPushed, type Table } from './tables.ts';

export interface Place {
  readonly database: string;
  readonly cluster?: string;
}

/** Of the table that holds the rows: on a cluster each server has its share of what is pushed in X_local, and X is all of them. */
export function holdingTable({ name }: Table, { cluster }: Place): string {
  return cluster !== undefined && isPushed(name) ? `${name}_local` : name;
}

/** The tables that are read under this name: X, and X_local on a cluster. */
export function tablesOf(table: Table, place: Place): string[] {
  return [...new Set([table.name, holdingTable(table, place)])];
}

export function onCluster({ cluster }: Place): string {
  return cluster === undefined ? '' : ` ON CLUSTER ${named(cluster)}`;
}

export function fullName(table: string, { database }: Place): string {
  return `${named(database)}.${named(table)}`;
}

export function databaseStatement(place: Place): string {
  return `CREATE DATABASE IF NOT EXISTS ${named(place.database)}${onCluster(place)}`;
}

export function tableStatements(table: Table, place: Place, retention: Retention): string[] {
  const { columns, indexes = [], key, partition, settings, expires } = table;
  const held = holdingTable(table, place);
  const lines = [...columns.map(columnLine), ...indexes].map((line) => `  ${line}`);
  const made = [
    `CREATE TABLE IF NOT EXISTS ${fullName(held, place)}${onCluster(place)}`,
    `(\n${lines.join(',\n')}\n)`,
    `ENGINE = ${engineOf(table, place)}`,
    ...(partition === undefined ? [] : [`PARTITION BY ${partition}`]),
    `ORDER BY (${key.join(', ')})`,
    ...(expires ? [`TTL ${ttlOf(retention)}`] : []),
    ...(settings === undefined ? [] : [`SETTINGS ${settings}`]),
  ].join('\n');
  if (held === table.name) return [made];
  const plain = columns.map(({ name, type, fill }) => `  ${columnLine({ name, type, ...(fill && { fill }) })}`);
  const over = [
    `CREATE TABLE IF NOT EXISTS ${fullName(table.name, place)}${onCluster(place)}`,
    `(\n${plain.join(',\n')}\n)`,
    // All rows of a session on one server: so that they can replace each other, and be joined.
    `ENGINE = Distributed(${[place.cluster ?? '', place.database, held].map(quoted).join(', ')}, sipHash64(session))`,
  ].join('\n');
  return [made, over];
}

/** MATERIALIZED: cannot be sent, and is filled in where the rows are kept, not where they pass through. */
function columnLine({ name, type, fill, codec, settings }: Column): string {
  return [
    `${named(name)} ${type}`,
    ...(fill === undefined ? [] : [`MATERIALIZED ${fill}`]),
    ...(codec === undefined ? [] : [`CODEC(${codec})`]),
    ...(settings === undefined ? [] : [`SETTINGS (${settings})`]),
  ].join(' ');
}

/** What row policies look up (members, recalls) is whole on every server: one path for all shards. */
function engineOf({ name, columns }: Table, { database, cluster }: Place): string {
  const last = ['version', ...(columns.some((each) => each.name === 'deleted') ? ['deleted'] : [])].join(', ');
  if (cluster === undefined) return `ReplacingMergeTree(${last})`;
  const [shard, replica] = isPushed(name) ? ['{shard}', '{replica}'] : ['all', '{shard}-{replica}'];
  const path = `/clickhouse/tables/${shard}/${database.replaceAll('/', '-')}/${name}`;
  return `ReplicatedReplacingMergeTree(${quoted(path)}, ${quoted(replica)}, ${last})`;
}
