/** `skein archive`: keeps every session, also after the client deletes it. */
import { type Command, READING_OPTIONS } from '../command.ts';
import { type Parts, runParts, type Takes } from '../parts.ts';

const PARTS: Parts = {
  sync: async () => (await import('../archive/sync.ts')).syncArchive,
  status: async () => (await import('../archive/status.ts')).showStatus,
  verify: async () => (await import('../archive/verify.ts')).verifyArchive,
  versions: async () => (await import('../archive/versions.ts')).showVersions,
  restore: async () => (await import('../archive/restore.ts')).restoreFiles,
  forget: async () => (await import('../archive/forget.ts')).forgetFiles,
  scrub: async () => (await import('../archive/scrub.ts')).scrubArchive,
  export: async () => (await import('../archive/transfer.ts')).exportFile,
  import: async () => (await import('../archive/transfer.ts')).importFile,
  rebuild: async () => (await import('../archive/rebuild.ts')).rebuild,
  watch: async () => (await import('../archive/watch.ts')).watchArchive,
};

const TAKES: Takes = {
  sync: { words: 0, options: ['full'] },
  status: { words: 0, options: [] },
  verify: { words: 0, options: [] },
  versions: { words: 1, options: ['all'] },
  restore: { words: 1, options: ['all', 'to', 'force', 'version', 'keep-times'] },
  forget: { words: 1, options: ['yes', 'undo', 'all'] },
  scrub: { words: 1, options: ['all', 'dry-run'] },
  export: { words: 1, options: ['force'] },
  import: { words: 1, options: [] },
  rebuild: { words: 0, options: [] },
  watch: { words: 0, options: [] },
};

export const archive: Command = {
  name: 'archive',
  usage: 'sync|watch|status|verify|versions|restore|forget|scrub|export|import|rebuild [SEL|FILE]',
  summary: 'keep every session, also after the client deletes it',
  details: [
    'The client deletes sessions after 30 days unless told otherwise. The archive keeps them: sessions, sub-agents, large outputs, titles, checkpoints, plans, todos and typed prompts, byte for byte, compressed, copies made by resume and fork stored once. It is two SQLite files in $SKEIN_HOME or the platform’s data folder, readable by you alone: archive.db, and index.db, which is made of it. Nothing ever leaves it unless you say forget.',
    'sync reads what is new and nothing else. watch does so whenever something changes. status says what is kept and what the client will delete next. verify reads the whole archive and checks every hash. restore writes files back where they were, or below --to; those of another machine only below --to; a file that is there and differs stays, unless you say --force. Back in its place, what is older than the client keeps sessions gets the present time, or the client would delete it again at its next start; --keep-times keeps the old. versions lists the states that are kept of files which were rewritten or cut; restore gives the last one and says where another has more lines. forget takes a session out for good, with what was typed into it in history.jsonl, and does not archive it again; lines that another session shares stay with that one; forget --undo lets it be archived again from what is still on disk. export writes the whole archive to one file; import takes in such a file: a union, nothing twice. rebuild makes the text index anew: it is derived from the archive, lies beside it in index.db and may be deleted at any time.',
    'scrub masks secrets (API keys, tokens, private keys, passwords) in the archived copy for good; --dry-run only says what it would mask. A line that resume or fork copied is masked in all sessions that hold it. The files on disk stay as they are: a sync does not bring back what was masked, copies of a masked line that come later are masked too, other lines that are added later are archived as they are and sync says so. restore, verify and status say what is scrubbed.',
    'For versions, restore, forget and scrub SEL is a session id or the start of one, @last, project:NAME, the end of an archived path, or words of a title; it takes all that belongs to the session.',
  ],
  options: {
    all: { type: 'boolean', help: 'versions, restore, scrub, forget --undo: everything' },
    to: { type: 'string', value: 'DIR', help: 'restore: below this folder instead of the original place' },
    force: { type: 'boolean', help: 'restore, export: replace files that are there and differ' },
    version: {
      type: 'string',
      value: 'N',
      help: 'restore: the Nth state of files that were rewritten, 1 is the oldest (default: the last seen)',
    },
    'keep-times': { type: 'boolean', help: 'restore: keep times of change by which the client deletes it again' },
    full: {
      type: 'boolean',
      help: 'sync: compare every byte, whatever size and time of change say; mend what is damaged in the archive',
    },
    yes: { type: 'boolean', help: 'forget: do not ask' },
    undo: { type: 'boolean', help: 'forget: let it be archived again' },
    'dry-run': { type: 'boolean', help: 'scrub: only say what would be masked' },
    ...READING_OPTIONS,
  },
  examples: [
    ['skein archive sync', 'archive what is new'],
    ['skein archive status', 'what is kept, and what the client deletes next'],
    ['skein archive restore 4f0c --to /tmp/back', 'one session with its agents and outputs, in another folder'],
    ['skein archive restore --all', 'everything the client deleted, back in place'],
    ['skein archive versions 4f0c', 'the states of its files that are kept, by number, for restore --version'],
    ['skein archive scrub --all --dry-run', 'which secrets lie in the archive'],
    ['skein archive export skein-archive.db', 'one file to carry to another machine; there: skein archive import'],
  ],
  run: runParts('archive', PARTS, TAKES),
};
