// Calls a model through its own client, streaming or not, and says how the call ended, and how many requests it made
// if there was more than one.
//
// node budgets.js openai|responses|anthropic BASE_URL KEY stream|whole MAX_TOKENS [MODEL [RETRIES]]
const OpenAI = require('openai');
const Anthropic = require('@anthropic-ai/sdk');

const [which, baseURL, apiKey, how, most, model = 'm', retries = '0'] = process.argv.slice(2);
let requests = 0;
const counted = (url, init) => {
  requests += 1;
  return fetch(url, init);
};
const options = { baseURL, apiKey, maxRetries: Number(retries), timeout: 20000, fetch: counted };
const stream = how === 'stream';
const messages = [{ role: 'user', content: 'Hello' }];

const call = {
  openai: async () => {
    const answer = await new OpenAI(options).chat.completions.create({ model, messages, stream, max_tokens: Number(most) });
    if (!stream) return answer.choices[0].message.content;
    let text = '';
    // A chunk without choices breaks code like this, which most applications have.
    for await (const chunk of answer) text += chunk.choices[0].delta.content;
    return text;
  },
  responses: async () => {
    const answer = await new OpenAI(options).responses.create({ model, input: 'Hello', stream, max_output_tokens: Number(most) });
    if (!stream) return answer.output_text;
    let text = '';
    for await (const event of answer) if (event.type === 'response.output_text.delta') text += event.delta;
    return text;
  },
  anthropic: async () => {
    const answer = await new Anthropic(options).messages.create({ model, messages, stream, max_tokens: Number(most) });
    if (!stream) return answer.content[0].text;
    let text = '';
    for await (const event of answer) if (event.type === 'content_block_delta') text += event.delta.text;
    return text;
  },
}[which];

const tries = () => (requests > 1 ? ` in ${requests} requests` : '');

(async () => {
  try {
    const text = await call();
    console.log(`answered ${text.trim().split(' ').length} words${tries()}`);
  } catch (error) {
    console.log(`${error.constructor.name} ${error.status}: ${error.message}${tries()}`);
  }
})();
