/** What is used of the client. A bundle of its own, loaded when a team is opened. */
export { ClickHouseLogLevel, createClient } from '@clickhouse/client';
