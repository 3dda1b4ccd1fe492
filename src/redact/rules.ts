/** All rules. */
import { assignmentRule } from './assignment.ts';
import { optionRule } from './commands.ts';
import { CONTEXT_RULES } from './contexts.ts';
import { kubernetesSecretRule } from './kubernetes.ts';
import { OPERAND_RULES } from './operands.ts';
import { OTHER_TOKEN_RULES } from './othertokens.ts';
import { privateKeyRule } from './privatekey.ts';
import type { Rule } from './rule.ts';
import { SECRETLINT_RULES } from './secretlint.ts';
import { STORED_RULES } from './stored.ts';
import { TOKEN_RULES } from './tokens.ts';
import { TYPED_RULES } from './typedcommands.ts';

export const RULES: readonly Rule[] = [
  ...SECRETLINT_RULES,
  ...TOKEN_RULES,
  ...OTHER_TOKEN_RULES,
  privateKeyRule,
  ...CONTEXT_RULES,
  optionRule,
  ...TYPED_RULES,
  ...OPERAND_RULES,
  kubernetesSecretRule,
  ...STORED_RULES,
  assignmentRule,
];
