/** What somebody without a key needs to know, as markdown. */
export const WITHOUT_KEY = `There is **no key** yet, so no model can be asked.

- \`export ANTHROPIC_API_KEY=…\` and start again; keys come from https://console.anthropic.com. For a gateway: \`ANTHROPIC_AUTH_TOKEN\` and \`ANTHROPIC_BASE_URL\`.
- \`skein chat --demo\` lets you try everything now, with a scripted model on this machine.
- Without a key \`skein list\`, \`show\`, \`search\`, \`usage\`, \`serve\`, \`export\` and all else that reads sessions work; here \`/resume\` shows them and \`!command\` runs a command.
`;
