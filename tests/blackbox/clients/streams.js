// Streams a call of the model "paced" through its own client to the end, and says why the model stopped.
//
// node streams.js openai|responses|anthropic BASE_URL KEY
const OpenAI = require('openai');
const Anthropic = require('@anthropic-ai/sdk');

const [which, baseURL, apiKey] = process.argv.slice(2);
const options = { baseURL, apiKey, maxRetries: 0, timeout: 20000 };
const messages = [{ role: 'user', content: 'Hello' }];

const call = {
  openai: async () => {
    const stream = await new OpenAI(options).chat.completions.create({ model: 'paced', messages, stream: true });
    let [why, text] = ['', ''];
    for await (const { choices: [{ delta, finish_reason }] } of stream) {
      text += delta.content ?? '';
      why = finish_reason ?? why;
    }
    return [why, text];
  },
  responses: async () => {
    const stream = await new OpenAI(options).responses.create({ model: 'paced', input: 'Hello', stream: true });
    let text = '';
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.incomplete') return [event.response.incomplete_details.reason, text];
    }
    return ['completed', text];
  },
  anthropic: async () => {
    const stream = new Anthropic(options).messages.stream({ model: 'paced', messages, max_tokens: 40 });
    const message = await stream.finalMessage();
    return [message.stop_reason, message.content[0].text];
  },
}[which];

(async () => {
  try {
    const [why, text] = await call();
    console.log(`${why} after ${text.trim().split(' ').length} words`);
  } catch (error) {
    console.log(`${error.constructor.name}: ${error.message}`);
  }
})();
