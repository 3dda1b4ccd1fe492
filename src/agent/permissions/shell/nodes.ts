/** The kinds of nodes whose meaning is known here. Any other makes a command one to ask about. */
const STATEMENTS = [
  ...['program', 'list', 'pipeline', 'subshell', 'compound_statement', 'negated_command', 'redirected_statement'],
  ...['if_statement', 'elif_clause', 'else_clause', 'for_statement', 'while_statement', 'do_group'],
  ...['case_statement', 'case_item', 'function_definition', 'command', 'command_name', 'declaration_command'],
  ...['unset_command', 'test_command', 'variable_assignment', 'variable_assignments', 'comment'],
  ...['file_redirect', 'heredoc_redirect', 'herestring_redirect', 'heredoc_start', 'heredoc_body', 'heredoc_content'],
  ...['heredoc_end', 'file_descriptor', 'binary_expression', 'unary_expression', 'parenthesized_expression'],
  ...['test_operator', 'variable_name', 'special_variable_name', 'subscript', 'regex', 'extglob_pattern'],
];

const WORD_NODES = [
  ...['word', 'number', 'string', 'string_content', 'raw_string', 'ansi_c_string', 'concatenation', 'array'],
  ...[
    'simple_expansion',
    'expansion',
    'command_substitution',
    'process_substitution',
    'arithmetic_expansion',
    'brace_expression',
  ],
];

export const KNOWN_NODES: ReadonlySet<string> = new Set([...STATEMENTS, ...WORD_NODES]);
