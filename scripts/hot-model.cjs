// A model for the build: has a file read and a command run, then says it is done. Takes traces too. Prints its port.
'use strict';
const { createServer } = require('node:http');

const use = (name, input) => ({ type: 'tool_use', id: `toolu_${name}`, name, input });
const CALLS = [
  use('Read', { file_path: 'package.json' }),
  use('Bash', { command: 'true' }),
  use('Glob', { pattern: '*.json' }),
];

function eventsOf(blocks, model) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stop = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const message = {
    id: `msg_${stop}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    usage,
  };
  return [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
      },
      {
        type: 'content_block_delta',
        index,
        delta:
          block.type === 'text'
            ? { type: 'text_delta', text: block.text }
            : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url.endsWith('/v1/traces')) {
      response.end('{}');
      return;
    }
    const { model, messages = [] } = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
    const isAnswered = JSON.stringify(messages.at(-1) ?? '').includes('tool_result');
    const blocks = isAnswered ? [{ type: 'text', text: 'Done.' }] : CALLS;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      eventsOf(blocks, model)
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
    );
  });
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port);
});
