// HTTP/2 as Node speaks it, on one connection: node client.js URL [CA_FILE]

'use strict';

const fs = require('fs');
const http2 = require('http2');

const [url, ca] = process.argv.slice(2);
const session = http2.connect(url, ca ? { ca: fs.readFileSync(ca) } : {});

function ask(fields, body) {
  return new Promise((resolve, reject) => {
    const stream = session.request(fields, { endStream: body === undefined });
    const got = { bytes: 0, code: 0 };
    stream.on('response', (head) => (got.status = head[':status']));
    stream.on('data', (data) => (got.bytes += data.length));
    stream.on('error', reject);
    stream.on('close', () => resolve(Object.assign(got, { code: stream.rstCode })));
    if (fields.expect) {
      stream.on('continue', () => {
        got.interim = 100;
        stream.end(body);
      });
    } else if (body !== undefined) {
      stream.end(body);
    }
  });
}

async function main() {
  const all = await Promise.all(Array.from({ length: 80 }, (_, i) => ask({ ':path': `/a${i}`, 'x-test-bytes': 1000 * i })));
  console.log('80 at once:', all.every((one, i) => one.status === 200 && one.bytes === 1000 * i));
  const large = await ask({ ':path': '/up', ':method': 'POST', 'x-test-echo': '1' }, Buffer.alloc(700000, 'x'));
  console.log('echo:', large.status, large.bytes);
  const expects = { ':path': '/up', ':method': 'POST', expect: '100-continue', 'x-test-echo': '1' };
  const told = await ask(expects, 'abc');
  console.log('expectation:', told.interim, told.status, told.bytes);
  const held = session.request({ ':path': '/held', 'x-test-hold': '1' });
  held.on('error', () => {});
  setTimeout(() => held.close(http2.constants.NGHTTP2_CANCEL), 100);
  await new Promise((resolve) => held.on('close', resolve));
  await new Promise((resolve, reject) => session.ping((failed) => (failed ? reject(failed) : resolve())));
  console.log('after a cancelled one:', (await ask({ ':path': '/b' })).status);
  session.close(() => console.log('closed'));
}

main().catch((error) => { console.log(error); process.exit(1); });
