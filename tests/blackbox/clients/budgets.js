// Calls a model through its own client, streaming or not, and says how the call ended.
//
// node budgets.js openai|responses|anthropic BASE_URL KEY stream|whole MAX_TOKENS
const OpenAI = require('openai');
const Anthropic = require('@anthropic-ai/sdk');

const [which, baseURL, apiKey, how, most] = process.argv.slice(2);
const options = { baseURL, apiKey, maxRetries: 0, timeout: 20000 };
const stream = how === 'stream';
const messages = [{ role: 'user', content: 'Hello' }];

const call = {
  openai: async () => {
    const answer = await new OpenAI(options).chat.completions.create({ model: 'm', messages, stream, max_tokens: Number(most) });
    if (!stream) return answer.choices[0].message.content;
    let text = '';
    // A chunk without choices breaks code like this, which most applications have.
    for await (const chunk of answer) text += chunk.choices[0].delta.content;
    return text;
  },
  responses: async () => {
    const answer = await new OpenAI(options).responses.create({ model: 'm', input: 'Hello', stream, max_output_tokens: Number(most) });
    if (!stream) return answer.output_text;
    let text = '';
    for await (const event of answer) if (event.type === 'response.output_text.delta') text += event.delta;
    return text;
  },
  anthropic: async () => {
    const answer = await new Anthropic(options).messages.create({ model: 'm', messages, stream, max_tokens: Number(most) });
    if (!stream) return answer.content[0].text;
    let text = '';
    for await (const event of answer) if (event.type === 'content_block_delta') text += event.delta.text;
    return text;
  },
}[which];

(async () => {
  try {
    const text = await call();
    console.log(`answered ${text.trim().split(' ').length} words`);
  } catch (error) {
    console.log(`${error.constructor.name} ${error.status}: ${error.message}`);
  }
})();
