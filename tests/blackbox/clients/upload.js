// Uploads to a gateway as programs in JavaScript do; says the status of each answer, or what came in its place.
//
//   node upload.js fetch|http PORT PATH BYTES TIMES
//
// fetch is undici's; axios and others stand on http.

'use strict';

const http = require('http');

async function withFetch(port, path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body });
  await answer.text();
  return answer.status;
}

function withHttp(port, path, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method: 'POST' }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.setHeader('Content-Length', body.length);
    request.end(body);
  });
}

async function main() {
  const [library, port, path, size, times] = process.argv.slice(2);
  const upload = library === 'fetch' ? withFetch : withHttp;
  for (let i = 0; i < Number(times); ++i) {
    try {
      console.log(await upload(Number(port), path, Buffer.alloc(Number(size), 'x')));
    } catch (lost) {
      console.log((lost.cause && lost.cause.code) || lost.code || lost.name);
    }
  }
}

main();
