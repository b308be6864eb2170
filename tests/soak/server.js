// A server of HTTP/2 that does what the query says: server.js PORT [CERTIFICATE KEY]
//
// bytes: so many in the answer. delay: milliseconds before it. end: "whole", with "trailers", a "reset" after half of it, no more
// after that half ("hang"), or whole and the last answer of this connection ("leave").

'use strict';

const fs = require('fs');
const http2 = require('http2');

const [port, certificate, key] = process.argv.slice(2);
const server = certificate
  ? http2.createSecureServer({ cert: fs.readFileSync(certificate), key: fs.readFileSync(key) })
  : http2.createServer();
const piece = Buffer.alloc(400000, 'x');

function answer(stream, asked, received) {
  if (stream.destroyed) return;
  const bytes = Number(asked.get('bytes') || 0);
  const end = asked.get('end') || 'whole';
  const head = { ':status': 200, 'x-received': received };
  if (end === 'trailers') {
    stream.respond(head, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-end': 'after' }));
  } else {
    stream.respond(head);
  }
  if (end === 'leave') stream.session.close();
  if (end !== 'reset' && end !== 'hang') return stream.end(piece.subarray(0, bytes));
  stream.write(piece.subarray(0, bytes / 2), () => {
    if (end === 'reset') stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  });
}

server.on('stream', (stream, fields) => {
  const asked = new URL(fields[':path'], 'http://a').searchParams;
  let received = 0;
  stream.on('error', () => {});
  stream.on('data', (data) => (received += data.length));
  stream.on('end', () => setTimeout(answer, Number(asked.get('delay') || 0), stream, asked, received));
});
server.on('sessionError', () => {});
server.on('session', (session) => session.on('error', () => {}));
server.listen(Number(port), '127.0.0.1');
