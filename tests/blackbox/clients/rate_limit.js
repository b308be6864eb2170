// Asks a rate limit service with the library of Node, through the definitions of rate_limit.proto:
//
//   rate_limit.js WORK    WORK is JSON: {"target", "ca", "certificate", "key", "calls": [CALL...], "callers", "request"}
//
// A CALL is {"request", "method", "at_once"} or {"bytes"} with a message in base64. The answer to each is written as a
// line of JSON: the message, or {"status"}. With "at_once" the line has how often each outcome came. With "callers" so
// many callers ask for the decision about `request` again and again until SIGTERM. Then the line has how often each
// outcome came; each outcome is also written to stderr when it comes for the first time.

'use strict';

const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const work = JSON.parse(process.argv[2]);
const definition = loader.loadSync(path.join(__dirname, 'rate_limit.proto'), {
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
});
const Service = grpc.loadPackageDefinition(definition).envoy.service.ratelimit.v3.RateLimitService;

function credentials() {
  if (!work.ca) return grpc.credentials.createInsecure();
  const file = (name) => (work[name] ? fs.readFileSync(work[name]) : null);
  return grpc.credentials.createSsl(file('ca'), file('key'), file('certificate'));
}

const client = new Service(work.target, credentials());
const shouldRateLimit = Service.service.ShouldRateLimit;

function ask(call) {
  return new Promise((resolve) => {
    const options = { deadline: Date.now() + 20000 };
    const done = (failed, answer) => resolve(failed ? { status: grpc.status[failed.code], details: failed.details } : answer);
    if (call.bytes === undefined) client[call.method || 'ShouldRateLimit'](call.request, options, done);
    else
      client.makeUnaryRequest(
        shouldRateLimit.path,
        (bytes) => bytes,
        shouldRateLimit.responseDeserialize,
        Buffer.from(call.bytes, 'base64'),
        options,
        done,
      );
  });
}

/// The code and the rate of an answer, or why there is none.
function outcome(answer) {
  if (answer.status) return `${answer.status} ${answer.details}`;
  const limit = answer.statuses[0].current_limit;
  return `${answer.overall_code} ${limit ? limit.requests_per_unit : 'free'}`;
}

function count(counts, answer) {
  const name = outcome(answer);
  counts[name] = (counts[name] || 0) + 1;
  return counts;
}

async function call(each) {
  if (!each.at_once) return ask(each);
  const answers = await Promise.all(Array.from({ length: each.at_once }, () => ask(each)));
  return answers.reduce(count, {});
}

async function keepAsking() {
  const counts = {};
  let stopped = false;
  process.on('SIGTERM', () => (stopped = true));
  const caller = async () => {
    while (!stopped) {
      const answer = await ask(work);
      count(counts, answer);
      if (counts[outcome(answer)] === 1) console.error(`first ${outcome(answer)}`);
    }
  };
  await Promise.all(Array.from({ length: work.callers }, caller));
  return counts;
}

async function main() {
  for (const each of work.calls || []) console.log(JSON.stringify(await call(each)));
  if (work.callers) console.log(JSON.stringify(await keepAsking()));
  process.exit(0);
}

main();
