// Asks a gateway over TLS: node secure.js PORT CA_FILE. Prints what it found, and "ok" at the end.
const fs = require('fs');
const https = require('https');
const tls = require('tls');

const [port, ca] = [Number(process.argv[2]), fs.readFileSync(process.argv[3])];
const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca });
const options = { host: '127.0.0.1', servername: 'localhost', port, agent };

function ask(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const request = https.request({ ...options, method, path, headers }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode, body: Buffer.concat(parts), socket: request.socket }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function main() {
  const first = await ask('GET', '/a', {});
  const large = Buffer.alloc(700000, 'x');
  const second = await ask('POST', '/b', { 'X-Test-Echo': '1' }, large);
  console.log(first.status, second.status, second.body.equals(large), first.socket === second.socket,
              second.socket.getProtocol());
  const session = await new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => socket.write(
        'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    socket.on('session', (made) => { resolve(made); socket.end(); });
  });
  const again = tls.connect({ host: '127.0.0.1', port, ca, servername: 'localhost', session }, () => {
    console.log('resumed', again.isSessionReused());
    again.end();
    agent.destroy();
    console.log('ok');
  });
}

main().catch((error) => { console.log(error); process.exit(1); });
