// Many streams at once through two gateways, and the sums that their budgets must show afterwards.
//
// node budget_stress_driver.js CONTROL_PORT STREAMS GROUPS BOOK_PORT GATEWAY_PORT_A GATEWAY_PORT_B
//
// Each of STREAMS connections makes one call after the other. Keys are used in groups: four keys, g<n>k<m>, whose calls
// hold at least what they use, and g<n>debt, whose calls hold 10 and use up to 50. Calls go to the next group when many
// of the current one are refused.
//
// Calls of the control port: /state; /killing and /killed around the end of gateway A; /losing before Redis goes away;
// /finish starts no more calls; /sums compares what was seen with the book of the provider.
const http = require('http');

const [control, streams, groups, book_port, ...gates] = process.argv.slice(2).map(Number);
const kHold = 10; // of a call of a debt key
const kMaxTokens = 60;
const kLag = 1000; // ms before the kill in which a settlement may have been lost
const kNoticed = 500; // ms after which a gateway asks a lost Redis no more, or trusts a Redis that is back

const calls = [];
const seen = { open: 0, most_open: 0, running: 0, group: 0, refused_of_group: 0, refused: 0, done: 0 };
let finishing = false;
let killing = Infinity;
let killed = false;
const losses = []; // of Redis
const under_way = {}; // of each key: calls now, and the most at once

const up_to = (most) => Math.floor(Math.random() * most);
const text_in = (value) =>
  typeof value === 'string' ? value.length
    : value && typeof value === 'object' ? Object.values(value).reduce((sum, each) => sum + text_in(each), 0) : 0;

function made_call(gate) {
  const debt = up_to(10) === 0;
  const die = up_to(20);
  const end = debt || die > 4 ? 'whole' : die === 0 ? 'error' : die < 3 ? 'fails' : 'stalls';
  const metadata = debt ? { chunks: 5 + up_to(41), pace: 40, end, input: 5 } : { chunks: 5 + up_to(16), pace: 100, end };
  const call = { id: `c${calls.length}`, gate, debt, end, key: `g${seen.group}${debt ? 'debt' : `k${up_to(4)}`}` };
  call.body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'y'.repeat(10 + up_to(50)) }], user: call.id, metadata };
  if (!debt) call.body.max_tokens = kMaxTokens;
  call.input = debt ? 5 : text_in(call.body);
  call.hold = debt ? kHold : call.input + kMaxTokens;
  call.chunks = metadata.chunks;
  call.cost = end === 'error' ? 0 : call.input + call.chunks;
  calls.push(call);
  return call;
}

// Resolves when the call has ended: `status` 0 if there was no answer, `saw` and `finished` of the stream.
function make(call, agent) {
  return new Promise((resolve) => {
    let open = false;
    const ended = (how) => {
      if (call.how) return;
      call.how = how;
      call.at = Date.now();
      call.old_process = call.gate === 0 && !call.begun_killed;
      if (open) --seen.open;
      --under_way[call.key].now;
      delete call.body;
      resolve();
    };
    const text = JSON.stringify(call.body);
    call.begun = Date.now();
    const of_key = (under_way[call.key] ??= { now: 0, most: 0 });
    of_key.most = Math.max(of_key.most, ++of_key.now);
    call.begun_killed = killed;
    call.status = call.saw = 0;
    const request = http.request({
      agent, host: '127.0.0.1', port: gates[call.gate], method: 'POST',
      path: call.debt ? '/under/v1/chat/completions' : '/v1/chat/completions',
      headers: { 'X-API-Key': `${call.key}-of-some-length-0001`, 'Content-Type': 'application/json', 'Content-Length': text.length },
    }, (response) => {
      call.status = response.statusCode;
      if (call.status === 200) {
        open = true;
        seen.most_open = Math.max(seen.most_open, ++seen.open);
      }
      let rest = '';
      let finished = false;
      response.on('data', (data) => {
        const lines = (rest + data).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          if (line.includes('"content":"x"')) ++call.saw;
          if (line.includes('"choices":[],')) call.usage_seen = true;
          if (line === 'data: [DONE]') finished = true;
        }
        if (call.end === 'stalls' && call.saw === call.chunks) {
          ended('left');
          request.destroy();
        }
      });
      response.on('end', () => ended(call.status !== 200 ? 'answered' : finished && call.saw === call.chunks ? 'done' : 'short'));
      response.on('aborted', () => ended('cut'));
      response.on('error', () => ended('cut'));
    });
    request.on('error', (error) => ended(error.code === 'ECONNREFUSED' ? 'unsent' : call.status ? 'cut' : 'reset'));
    request.end(text);
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function run(gate) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  ++seen.running;
  while (!finishing) {
    const call = made_call(gate);
    await make(call, agent);
    if (call.how === 'done') ++seen.done;
    if (call.status === 429) {
      ++seen.refused;
      if (call.key.startsWith(`g${seen.group}k`) && ++seen.refused_of_group > streams / 4 && seen.group + 1 < groups) {
        ++seen.group;
        seen.refused_of_group = 0;
      }
    }
    if (call.how !== 'done') await pause(50);
  }
  agent.destroy();
  --seen.running;
}

// The smallest and the largest number of tokens that the budget may count for a call.
function counted(call, entry) {
  const { cost, hold } = call;
  const either = [Math.min(cost, hold), Math.max(cost, hold)];
  if (call.how === 'unsent' || call.status === 429) return [0, 0];
  // Redis may have counted the hold.
  if (call.status === 503) return [0, losses.some(({ from, to }) => call.begun < to + kNoticed && call.at > from) ? hold : 0];
  if (call.old_process && call.at > killing - kLag) {
    if (['cut', 'reset', 'short'].includes(call.how)) {
      if (entry?.state === 'closed') return [hold, hold];
      return entry ? [Math.min(cost, hold), Math.max(cost, hold)] : [0, hold];
    }
    return call.status === 200 ? either : [0, hold];
  }
  const expected = { whole: 'done', fails: 'cut', stalls: 'left', error: 'answered' }[call.end];
  if (call.how === expected && (call.end !== 'error' || call.status === 500)) return [cost, cost];
  // A request that met the end of a kept connection was not read.
  if (call.how === 'reset' && !entry) return [0, 0];
  call.odd = true;
  return [0, Math.max(cost, hold)];
}

function sums(book) {
  const keys = {};
  const out = { ...seen, calls: calls.length, odd: [], by_end: {}, keys };
  for (const call of calls) {
    const entry = book[call.id];
    const sum = (keys[call.key] ??= { at_once: under_way[call.key].most, least: 0, most: 0, used: 0, calls: 0, killed: 0, unknown: 0 });
    const [least, most] = counted(call, entry);
    sum.least += least;
    sum.most += most;
    if (entry) sum.used += entry.input + entry.output;
    ++sum.calls;
    if (least !== most) ++sum.unknown;
    if (call.old_process && entry?.state === 'closed' && call.how !== 'left') ++sum.killed;
    const word = `${call.end} ${call.status} ${call.how}`;
    out.by_end[word] = (out.by_end[word] ?? 0) + 1;
    if (call.odd || call.usage_seen || entry?.state === 'repeated' || (entry && call.status === 429))
      if (out.odd.push({ ...call, entry }) > 10) out.odd.length = 10;
  }
  return out;
}

http.createServer((request, response) => {
  const { url } = request;
  if (url === '/killing') killing = Date.now();
  if (url === '/killed') killed = true;
  if (url === '/losing') losses.push({ from: Date.now(), to: Infinity });
  if (url === '/lost') losses.at(-1).to = Date.now();
  if (url === '/finish') finishing = true;
  if (url !== '/sums') return response.end(JSON.stringify({ ...seen, calls: calls.length }));
  http.get({ host: '127.0.0.1', port: book_port, path: '/book' }, (answer) => {
    const pieces = [];
    answer.on('data', (piece) => pieces.push(piece));
    answer.on('end', () => response.end(JSON.stringify(sums(JSON.parse(Buffer.concat(pieces))))));
  });
}).listen(control, '127.0.0.1', () => {
  for (let i = 0; i < streams; ++i) run(i % gates.length);
});
