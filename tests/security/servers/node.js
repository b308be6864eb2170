// A Node server that answers each request with what an application gets of it; see real_server.hpp for the form.
'use strict';
const http = require('http');
const path = require('path');

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescape(text); // not UTF-8
  }
}

const server = http.createServer((request, response) => {
  const fields = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    fields.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
  }
  const raw = request.url.split('?')[0];
  // As a router sees it that parses the URL, and as those do that look for a file, here or on Windows.
  const readings = [
    decoded(new URL(request.url, 'http://server').pathname),
    path.posix.normalize(decoded(raw)),
    path.win32.normalize(decoded(raw)).replaceAll('\\', '/'),
  ];
  response.end([request.method, ...fields].join('\n') + '\n\n' + readings.join('\0'));
});

server.listen(0, '127.0.0.1', () => console.error(`listening on 127.0.0.1:${server.address().port}`));
