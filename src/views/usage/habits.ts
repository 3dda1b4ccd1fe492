/** Expensive habits: what they are called, what they are, and what to do about them. How they are found: team/usage/habits.ts. */

interface HabitText {
  readonly title: string;
  readonly what: string;
  readonly advice: string;
}

export const ADVICE = {
  pause: {
    title: 'Cache misses after a pause',
    what: 'The next request came after the cache had expired (5 minutes, or an hour where that was asked for), and all was sent and paid again.',
    advice: 'End long chats before a break, or compact them first; for work with pauses ask for the cache of an hour.',
  },
  'switched-model': {
    title: 'Cache misses by switching the model',
    what: 'Each model has a cache of its own: after a switch the whole conversation is sent and paid anew.',
    advice: 'Choose the model when a chat begins; give short work of another model to a sub-agent.',
  },
  cut: {
    title: 'Cache misses after compaction',
    what: 'The conversation was compacted, rewound or cleared: what is left of it is no longer in the cache.',
    advice: 'Compact at the end of a task, not in the middle; a new chat for a new task needs none.',
  },
  'changed-prefix': {
    title: 'Cache misses for another reason',
    what: 'What stands before the conversation changed: tools or MCP servers, the system prompt, settings, or earlier messages.',
    advice: 'Do not connect or drop MCP servers, or change settings and CLAUDE.md, in the middle of a chat.',
  },
  'long-context': {
    title: 'Very long contexts',
    what: 'What was sent beyond the first 100,000 tokens of a request.',
    advice:
      'One chat a task; compact or start anew when the subject changes; let sub-agents read what is only looked through.',
  },
  'dear-agent': {
    title: 'Sub-agents of more than $1',
    what: 'All that a sub-agent cost which came to more than a dollar.',
    advice: 'Give them a narrow task and a smaller model; look whether several do the same.',
  },
  'huge-result': {
    title: 'Huge tool results',
    what: 'Results of more than 40,000 characters, sent again with every request until the conversation was cut or over.',
    advice: 'Ask for less: ranges of files, head and grep, quiet flags; let a sub-agent read what is large.',
  },
  retry: {
    title: 'Calls that fail again and again',
    what: 'A call that failed and was the same as the failed call before it.',
    advice: 'Say in CLAUDE.md what does not work here and what to use instead; mend the tool.',
  },
} as const satisfies Record<string, HabitText>;

export type HabitName = keyof typeof ADVICE;

export interface HabitPlace {
  readonly project: string;
  readonly person: string;
  /** Its id. */
  readonly chat: string;
  readonly times: number;
  readonly costUSD: number;
}

export interface Habit {
  readonly habit: HabitName;
  readonly title: string;
  readonly what: string;
  readonly advice: string;
  readonly costUSD: number;
  readonly times: number;
  /** Tokens it is about. */
  readonly tokens: number;
  readonly chats: number;
  readonly people: number;
  /** Where it cost most. */
  readonly where: readonly HabitPlace[];
}
