/** Where keys come from: the environment, else `export.json` in Skein's own folder, which has the same names. */
import { join } from 'node:path';
import { readJsonObject } from '../../disk/sidecars.ts';

export type Settings = Readonly<Record<string, string | undefined>>;

export const SETTINGS_NAME = 'export.json';

/** Names that a settings file may give; nothing else of it is looked at. */
export const SETTING_NAMES = [
  'LANGFUSE_PUBLIC_KEY',
  'LANGFUSE_SECRET_KEY',
  'LANGFUSE_BASE_URL',
  'LANGFUSE_HOST',
  'LANGFUSE_TRACING_ENVIRONMENT',
  'LANGFUSE_USER_ID',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
] as const;

/** An empty variable counts as none; what is around a value, such as the end of a line of another system, is not part of it. */
export function settingsOf(env: Settings, home: string): Settings {
  const kept = readJsonObject(join(home, SETTINGS_NAME)) ?? {};
  const found: Record<string, string | undefined> = {};
  for (const name of SETTING_NAMES) {
    const own = kept[name];
    found[name] = env[name]?.trim() || (typeof own === 'string' ? own.trim() : '') || undefined;
  }
  return found;
}

/** Milliseconds for the answer to a request. */
export function timeoutOf(settings: Settings): number | undefined {
  const ms = Number(settings.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? settings.OTEL_EXPORTER_OTLP_TIMEOUT ?? 0);
  return ms > 0 ? ms : undefined;
}
