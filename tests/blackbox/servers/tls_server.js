// A server with TLS for those who say which name they want: tls_server.js CERTIFICATE KEY PORT NAME
const fs = require('fs');
const https = require('https');
const tls = require('tls');

const [certificate, key, port, name] = process.argv.slice(2);
const context = tls.createSecureContext({ cert: fs.readFileSync(certificate), key: fs.readFileSync(key) });
const SNICallback = (asked, done) => (asked === name ? done(null, context) : done(new Error('not served here')));
https
  .createServer({ SNICallback }, (request, answer) => {
    let bytes = 0;
    request.on('data', (piece) => (bytes += piece.length));
    request.on('end', () => {
      answer.setHeader('X-Resumed', request.socket.isSessionReused());
      answer.end(`${request.socket.servername} ${request.method} ${bytes}`);
    });
  })
  .listen(Number(port), '127.0.0.1');
