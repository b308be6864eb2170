// A fake server of a language model that keeps a book of what each call used. Each chunk of a stream is one token.
//
// node budget_stress_provider.js PORT
//
// `metadata` of a call says what becomes of it: the number of chunks, the time between two of them, and the end:
// "whole", "fails" (the server breaks off), "stalls" (after its chunks, it sends nothing until the client leaves) or
// "error" (status 500). GET /book returns the book.
const http = require('http');

const book = {};

// The bytes of all strings of a call are its input.
const text_in = (value) =>
  typeof value === 'string' ? value.length
    : value && typeof value === 'object' ? Object.values(value).reduce((sum, each) => sum + text_in(each), 0) : 0;

function answer(response, body) {
  const { chunks, pace, end, input } = body.metadata;
  const entry = { input: input ?? text_in(body), output: 0, state: 'open' };
  if (book[body.user]) entry.state = 'repeated';
  book[body.user] = entry;
  if (end === 'error') {
    entry.input = 0;
    entry.state = 'error';
    response.writeHead(500, { 'Content-Type': 'application/json' });
    return response.end('{"error":{"message":"broken"}}');
  }
  const write = (data) => response.write(`data: ${data}\n\n`);
  const chunk = (more) => write(JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...more }));
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.flushHeaders();
  response.on('close', () => { if (entry.state === 'open') entry.state = 'closed'; clearInterval(timer); });
  const timer = setInterval(() => {
    if (entry.output < chunks) {
      ++entry.output;
      return chunk({ choices: [{ index: 0, delta: { content: 'x' } }], usage: null });
    }
    if (end === 'stalls') return;
    clearInterval(timer);
    entry.state = end;
    if (end === 'fails') return response.socket.destroySoon();
    const usage = { prompt_tokens: entry.input, completion_tokens: chunks, total_tokens: entry.input + chunks };
    if (body.stream_options?.include_usage) chunk({ choices: [], usage });
    write('[DONE]');
    response.end();
  }, pace);
}

const server = http.createServer({ keepAliveTimeout: 60000 }, (request, response) => {
  if (request.url === '/book') return response.end(JSON.stringify(book));
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => answer(response, JSON.parse(Buffer.concat(pieces))));
});
server.listen({ port: Number(process.argv[2]), host: '127.0.0.1', backlog: 4096 });
