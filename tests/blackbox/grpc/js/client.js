// Calls a server of gRPC, and writes a line for each call: client.js PORT WHAT [CA_FILE]

'use strict';

const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const { service } = require('./wire.js');

const [port, what, ca] = process.argv.slice(2);
const Client = grpc.makeGenericClientConstructor(service, 'Echo');

function client(options = {}) {
  const secure = ca && grpc.credentials.createSsl(fs.readFileSync(ca));
  return new Client(`localhost:${port}`, secure || grpc.credentials.createInsecure(), options);
}

/// What has come of a call: its answers, its last fields and its status.
function outcome(begin) {
  return new Promise((resolve) => {
    const got = { answers: [] };
    const call = begin((failed, answer) => answer && got.answers.push(answer));
    call.on('status', (status) => resolve(Object.assign(got, status, { name: grpc.status[status.code] })));
    call.on('error', () => {});
    if (call.read) call.on('data', (answer) => got.answers.push(answer));
  });
}

function unary(over, method, { request = 'a', deadline = 10, fields = {} } = {}) {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
  const until = deadline ? { deadline: Date.now() + deadline * 1000 } : {};
  return outcome((done) => over[method](Buffer.from(request), metadata, until, done));
}

async function kinds(over) {
  const one = await unary(over, 'unary', { fields: { 'x-mine': 'm' } });
  console.log(`${one.answers[0]}`, one.metadata.get('x-end'), one.metadata.get('x-bytes-bin'));
  console.log(`${(await outcome(() => over.serves(Buffer.from('s')))).answers}`);
  const joined = await outcome((done) => {
    const call = over.joins(done);
    for (const part of ['1', '2', '3']) call.write(Buffer.from(part));
    call.end();
    return call;
  });
  console.log(`${joined.answers[0]}`);
  const large = Buffer.alloc(300000);
  const echoed = await outcome(() => {
    const call = over.echoes();
    for (let i = 0; i < 5; ++i) call.write(large);
    call.end();
    return call;
  });
  console.log(echoed.name, echoed.answers.map((each) => each.length).join());
  const failed = await unary(over, 'fails');
  console.log(failed.name, failed.details);
}

async function deadlines(over) {
  console.log(`${(await unary(over, 'remaining', { deadline: 0 })).answers[0]}`);
  console.log(`${(await unary(over, 'remaining', { deadline: 100 })).answers[0]}`);
  console.log((await unary(over, 'slow', { deadline: 0.3 })).name);
  const call = over.slow(Buffer.from('a'), () => {});
  const ended = new Promise((resolve) => call.on('status', resolve));
  setTimeout(() => call.cancel(), 200);
  console.log(grpc.status[(await ended).code]);
}

/// With the wait of its own policy it would come at once; the pushback says when a permit is there.
function obedient() {
  const retryPolicy = {
    maxAttempts: 3,
    initialBackoff: '0.01s',
    maxBackoff: '0.01s',
    backoffMultiplier: 1,
    retryableStatusCodes: ['RESOURCE_EXHAUSTED'],
  };
  return client({ 'grpc.service_config': JSON.stringify({ methodConfig: [{ name: [{}], retryPolicy }] }) });
}

async function retried() {
  const over = obedient();
  await unary(over, 'unary');
  const begun = Date.now();
  console.log(`${(await unary(over, 'unary')).answers[0]}`);
  const once = Date.now();
  console.log(`${(await outcome(() => over.serves(Buffer.from('s')))).answers}`);
  console.log(once - begun > 900, Date.now() - once > 900);
}

async function hopeless() {
  const one = await unary(obedient(), 'unary', { fields: { 'x-cost': '5' } });
  console.log(one.name, one.metadata.get('grpc-retry-pushback-ms'));
}

const all = { kinds, deadlines, retried, hopeless };
all[what](client()).then(() => process.exit(0));
