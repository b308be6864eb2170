// Fake servers of language models, in the shapes of their APIs. Each call has 10 tokens of input and 20 of output, or as
// many as it allows. The model "paced" has 200 tokens of output, and streams one every ten milliseconds. The model
// "slow" answers after two seconds.
//
// node models.js PORT
const http = require('http');

const sse = (response, events) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const texts = events.map(([name, data]) =>
    `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  if (!response.paced) return response.end(texts.join(''));
  const next = () => (texts.length ? response.write(texts.shift()) && setTimeout(next, 10) : response.end());
  next();
};
const most = (response, asked) => Math.min(asked ?? 200, response.paced ? 200 : 20);
const json = (response, body, status = 200) => {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
};
const words = (count) => Array.from({ length: count }, (_, i) => `word${i % 10} `);

function chat(request, response, body, everyChunk) {
  const output = most(response, body.max_tokens ?? body.max_completion_tokens);
  const usage = { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output };
  const base = { id: 'c', object: 'chat.completion.chunk', model: body.model };
  if (!body.stream)
    return json(response, {
      id: 'c', object: 'chat.completion', model: body.model, usage,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: words(output).join('') } }],
    });
  const asked = body.stream_options?.include_usage;
  const events = words(output).map((content, i) => ['', {
    ...base, choices: [{ index: 0, delta: { content } }],
    usage: everyChunk ? { prompt_tokens: 10, completion_tokens: i + 1, total_tokens: 11 + i } : asked ? null : undefined,
  }]);
  if (asked && !everyChunk) events.push(['', { ...base, choices: [], usage }]);
  sse(response, [...events, ['', '[DONE]']]);
}

function responses(request, response, body) {
  const output = most(response, body.max_output_tokens);
  const usage = { input_tokens: 10, output_tokens: output, total_tokens: 10 + output,
                  input_tokens_details: { cached_tokens: 0 } };
  const whole = { id: 'r', object: 'response', status: 'completed', usage,
                  output: [{ type: 'message', content: [{ type: 'output_text', text: words(output).join('') }] }] };
  if (!body.stream) return json(response, whole);
  sse(response, [
    ['response.created', { type: 'response.created', response: { id: 'r', usage: null } }],
    ...words(output).map((delta) => ['response.output_text.delta', { type: 'response.output_text.delta', delta }]),
    ['response.completed', { type: 'response.completed', response: whole }],
  ]);
}

function messages(request, response, body) {
  const output = most(response, body.max_tokens);
  const usage = { input_tokens: 4, cache_creation_input_tokens: 1, cache_read_input_tokens: 5, output_tokens: output };
  const message = { id: 'm', type: 'message', role: 'assistant', model: body.model };
  if (!body.stream)
    return json(response, { ...message, usage, content: [{ type: 'text', text: words(output).join('') }] });
  sse(response, [
    ['message_start', { type: 'message_start', message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } } }],
    ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
    ...words(output).map((text) => ['content_block_delta',
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }]),
    ['content_block_stop', { type: 'content_block_stop', index: 0 }],
    ['message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } }],
    ['message_stop', { type: 'message_stop' }],
  ]);
}

function gemini(request, response, body) {
  const output = Math.min(body.generationConfig?.maxOutputTokens ?? 20, 20);
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: output, totalTokenCount: 10 + output };
  const part = (text, usage) => ({ candidates: [{ content: { parts: [{ text }], role: 'model' } }], usageMetadata: usage });
  if (!request.url.includes(':streamGenerateContent')) return json(response, part(words(output).join(''), usageMetadata));
  sse(response, words(output).map((text, i) => ['', part(text,
    { promptTokenCount: 10, candidatesTokenCount: i + 1, totalTokenCount: 11 + i })]));
}

function ollama(request, response, body) {
  const output = Math.min(body.options?.num_predict ?? 20, 20);
  const last = { model: body.model, done: true, prompt_eval_count: 10, eval_count: output };
  if (body.stream === false)
    return json(response, { ...last, message: { role: 'assistant', content: words(output).join('') } });
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
  for (const content of words(output))
    response.write(`${JSON.stringify({ model: body.model, message: { role: 'assistant', content }, done: false })}\n`);
  response.end(`${JSON.stringify({ ...last, message: { role: 'assistant', content: '' } })}\n`);
}

function answer(request, response, body) {
  const { url } = request;
  response.paced = body.model === 'paced';
  if (body.model === 'unknown') return json(response, { error: { message: 'no such model', code: 'model_not_found' } }, 404);
  if (url === '/v1/chat/completions') return chat(request, response, body, false);
  if (url === '/vllm/v1/chat/completions') return chat(request, response, body, true);
  if (url === '/v1/responses') return responses(request, response, body);
  if (url === '/v1/messages') return messages(request, response, body);
  if (url === '/api/chat') return ollama(request, response, body);
  return gemini(request, response, body);
}

http.createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(pieces).toString() || '{}');
    setTimeout(answer, body.model === 'slow' ? 2000 : 0, request, response, body);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
