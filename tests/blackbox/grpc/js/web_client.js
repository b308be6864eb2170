// Calls by gRPC-Web as a page does, with Connect's library, and writes what came of each: web_client.js PORT WHAT

'use strict';

const { Code, ConnectError, createClient } = require('@connectrpc/connect');
const { createGrpcWebTransport } = require('@connectrpc/connect-web');
const { Echo } = require('./web_wire.js');

const [port, what] = process.argv.slice(2);
const client = createClient(Echo, createGrpcWebTransport({ baseUrl: `http://127.0.0.1:${port}` }));

/// The fields before and behind an answer are put into `seen`.
const heard = (seen, headers = {}) => ({
  headers,
  onHeader: (fields) => { seen.first = fields; },
  onTrailer: (fields) => { seen.last = fields; },
});

async function failure(call) {
  try {
    await call();
    return 'no failure';
  } catch (error) {
    const known = ConnectError.from(error);
    return Object.assign(known, { text: `${Code[known.code]}: ${known.rawMessage}` });
  }
}

async function kinds() {
  const seen = {};
  const one = await client.unary({ value: 'a' }, heard(seen, { 'x-mine': 'm' }));
  console.log(one.value, seen.first.get('x-first'), seen.last.get('x-end'), seen.last.get('x-bytes-bin'));

  const parts = [];
  for await (const part of client.serves({ value: 's 3' }, heard(seen))) parts.push(part.value);
  console.log(parts.join(), seen.last.get('x-end'));

  let length = 0;
  const large = 'x'.repeat(50000);
  for await (const part of client.serves({ value: `${large} 40` })) length += part.value.length;
  console.log(length);

  const failed = await failure(() => client.fails({ value: 'a' }));
  console.log(failed.text, failed.metadata.get('x-why'));

  const before = [];
  const broken = await failure(async () => {
    for await (const part of client.breaks({ value: 'a' })) before.push(part.value);
  });
  console.log(before.join(), broken.text);
}

async function refused() {
  console.log((await client.unary({ value: 'a' })).value);
  const one = await failure(() => client.unary({ value: 'a' }));
  console.log(one.text, Number(one.metadata.get('grpc-retry-pushback-ms')) > 0);
  const other = await failure(async () => {
    for await (const part of client.serves({ value: 's 3' })) console.log(part.value);
  });
  console.log(other.text);
  await new Promise((done) => { setTimeout(done, Number(one.metadata.get('grpc-retry-pushback-ms'))); });
  console.log((await client.unary({ value: 'b' })).value);
}

async function leaves() {
  const parts = [];
  for await (const part of client.serves({ value: 's 100000' })) {
    parts.push(part.value);
    if (parts.length === 2) break;
  }
  console.log(parts.join());
  const late = await failure(() => client.unary({ value: 'a' }, { signal: AbortSignal.abort() }));
  console.log(late.text.split(':')[0]);
}

const all = { kinds, refused, leaves };
all[what]().then(() => process.exit(0));
