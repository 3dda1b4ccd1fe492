// A model for the bench of the console: `stream` writes 2,000 tokens a second for a while, anything else gets a short answer. Prints its port.
'use strict';
const { createServer } = require('node:http');

const PER_SECOND = 2000;
const SECONDS = 12;
const WORDS = ['word ', 'and ', 'more', ' so\n', '\n\n', '- it', 'em a', 'nd b', '\n', 'fin '];
let answers = 0;

createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', async () => {
    answers += 1;
    const isLong = body.includes('stream-now');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const usage = { input_tokens: 10, output_tokens: 5 };
    const message = { id: `msg_${answers}`, type: 'message', role: 'assistant', model: 'bench', content: [], usage };
    send({ type: 'message_start', message: { ...message, stop_reason: null } });
    send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    const delta = (text) => send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
    if (isLong) {
      const began = performance.now();
      for (let sent = 0; sent < PER_SECOND * SECONDS && !response.destroyed; ) {
        const due = Math.floor(((performance.now() - began) / 1000) * PER_SECOND);
        for (; sent < due; sent += 1) delta(WORDS[sent % WORDS.length]);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } else delta(`Answer ${answers}.`);
    send({ type: 'content_block_stop', index: 0 });
    send({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage });
    send({ type: 'message_stop' });
    response.end();
  });
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port);
});
