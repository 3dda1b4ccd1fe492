/** `skein hook`: what the client runs when a turn ends, and its place in the client's settings. */
import { type Command, READING_OPTIONS } from '../command.ts';
import { type Parts, runParts } from '../parts.ts';

const PARTS: Parts = {
  run: async () => (await import('../hook/run.ts')).run,
  install: async () => (await import('../hook/install.ts')).install,
  uninstall: async () => (await import('../hook/install.ts')).uninstall,
  status: async () => (await import('../hook/status.ts')).status,
  log: async () => (await import('../hook/log.ts')).showLog,
  doctor: async () => (await import('../hook/doctor.ts')).doctor,
};

export const hook: Command = {
  name: 'hook',
  usage: 'install|uninstall|status|log|doctor|run [--archive] [--langfuse] [--otlp URL] [--team NAME]',
  summary: 'archive and trace every turn as soon as it ends, from inside the client',
  details: [
    'install adds a hook to the settings of the client: whenever a turn, a sub-agent or a session ends, the session is archived (--archive) and its new turns are sent as traces to Langfuse (--langfuse) or any OpenTelemetry backend (--otlp URL), each exactly once. Without any of them it archives. With --team NAME what is new is also pushed to a team, by a process of its own that the client does not wait for. What else is in settings.json stays as it is, comments too; the file as it was is kept beside it. With --langfuse or --otlp a test span is sent.',
    'Keys never stand in settings.json. They come from the environment (LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY, LANGFUSE_BASE_URL, OTEL_EXPORTER_OTLP_HEADERS and the like) or from export.json in $SKEIN_HOME, which has the same names; --save-keys writes those of the environment there, readable by you alone.',
    'status says where the hook is installed and how its last runs went; log prints its log, -f as it grows; doctor finds out why nothing arrives. uninstall takes our entries out and nothing else.',
    'run is what the client calls. It reads the event on standard input, prints nothing and always ends well, at the latest after --timeout. What it could not send it sends the next time, whichever session that is of.',
  ],
  options: {
    archive: { type: 'boolean', help: 'install, run: archive the session' },
    langfuse: { type: 'boolean', help: 'install, run: send turns to Langfuse' },
    otlp: { type: 'string', value: 'URL', help: 'install, run: send turns to this OpenTelemetry (OTLP/HTTP) endpoint' },
    team: {
      type: 'string',
      value: 'NAME',
      help: 'install, run: push what is new to this team, under its policy (docs/team.md)',
    },
    'no-content': { type: 'boolean', help: 'install, run: send names, times and usage, but nothing that was said' },
    project: {
      type: 'boolean',
      help: 'install, uninstall: in .claude/settings.local.json of this folder instead of the settings of the user',
    },
    'save-keys': { type: 'boolean', help: 'install: keep the keys of this environment in export.json' },
    'dry-run': { type: 'boolean', help: 'install, uninstall: only say what would be done' },
    wait: {
      type: 'string',
      value: 'MS',
      help: 'install, run: how long to wait for a final answer not yet written (default 1500)',
    },
    timeout: { type: 'string', value: 'MS', help: 'install, run: how long a run may take at most (default 8000)' },
    follow: { type: 'boolean', short: 'f', help: 'log: go on as it grows' },
    json: READING_OPTIONS.json,
  },
  examples: [
    ['skein hook install --archive --langfuse', 'keep every session and trace every turn in Langfuse'],
    ['skein hook install --otlp http://localhost:4318 --dry-run', 'what would be written to settings.json'],
    ['skein hook doctor', 'why does nothing arrive?'],
    ['skein hook uninstall', 'take it out again'],
  ],
  takes: 1,
  run: runParts('hook', PARTS),
};
