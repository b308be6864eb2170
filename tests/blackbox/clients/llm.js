// Asks once, or twice, with a client of a language model, and says how it ended: the exception and what it knows, or the
// answer, how many seconds it took, and how many requests it sent.
//
// node llm.js openai|anthropic BASE_URL KEY RETRIES TIMES
const OpenAI = require('openai');
const Anthropic = require('@anthropic-ai/sdk');

const [which, baseURL, apiKey, retries, times] = process.argv.slice(2);
let sent = 0;
const counting = async (...args) => {
  ++sent;
  return fetch(...args);
};
const options = { baseURL, apiKey, maxRetries: Number(retries), fetch: counting, timeout: 20000 };
const messages = [{ role: 'user', content: 'Hello' }];

const ask = {
  openai: async () => {
    const answer = await new OpenAI(options).chat.completions.create({ model: 'm', messages });
    return answer.choices[0].message.content;
  },
  anthropic: async () => {
    const answer = await new Anthropic(options).messages.create({ model: 'm', max_tokens: 8, messages });
    return answer.content[0].text;
  },
}[which];

(async () => {
  const begun = Date.now();
  try {
    let said = '';
    for (let i = 0; i < Number(times); ++i) said = await ask();
    console.log(`answered ${said} after ${Math.round((Date.now() - begun) / 100) / 10} with ${sent}`);
  } catch (error) {
    const told = which === 'openai' ? `${error.type} ${error.code}` : `${error.error?.type} ${error.error?.error?.type}`;
    const id = error.request_id ? 'id' : 'no id';
    console.log(`${error.constructor.name} ${error.status} ${told} ${id} with ${sent}: ${error.message}`);
  }
})();
