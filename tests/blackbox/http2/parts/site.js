// A site over HTTP/1.1 that browser.html asks for all there is: site.js PORT

'use strict';

const fs = require('fs');
const http = require('http');
const path = require('path');

/// Each piece on its own, so that who reads sees them come.
function send(answer, type, pieces) {
  answer.writeHead(200, { 'Content-Type': type });
  pieces.forEach((piece, i) => setTimeout(() => answer.write(piece), 50 * i));
  setTimeout(() => answer.end(), 50 * pieces.length);
}

const waiting = [];  // for all to be said
const pages = {
  '/': (_, answer) => {
    answer.setHeader('Content-Type', 'text/html');
    answer.end(fs.readFileSync(path.join(__dirname, 'browser.html')));
  },
  '/size': (request, answer) => answer.end(Buffer.alloc(Number(new URL(request.url, 'http://a').search.slice(1)), 'x')),
  '/upload': (request, answer) => {
    let bytes = 0;
    request.on('data', (data) => (bytes += data.length));
    request.on('end', () => answer.end(`${bytes}`));
  },
  '/said': (request, answer) => {
    request.pipe(process.stdout, { end: false });
    request.on('end', () => answer.end());
    request.on('end', () => waiting.forEach((one) => one.end()));
  },
  '/end': (_, answer) => waiting.push(answer),
  '/stream': (_, answer) => send(answer, 'text/plain', ['0', '1', '2', '3', '4']),
  '/events': (_, answer) => send(answer, 'text/event-stream', ['data: one\n\n', 'data: two\n\n', 'data: three\n\n']),
  '/never': (_, answer) => {
    answer.writeHead(200, { 'Content-Type': 'text/plain' });
    answer.write('begun');
    answer.on('close', () => console.log('its caller has gone'));
  },
};

http
  .createServer((request, answer) => {
    const page = pages[request.url.split('?')[0]];
    if (page) return page(request, answer);
    answer.statusCode = 404;
    answer.end();
  })
  .listen(Number(process.argv[2]), '127.0.0.1');
