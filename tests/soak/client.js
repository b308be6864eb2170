// Callers of HTTP/2 that come, stop to read, change their minds and go, at random: client.js PORT TLS_PORT CA_FILE SECONDS RATE
//
// Its last line is what became of the requests, as JSON. "wrong" are those that came to another end than they had to.

'use strict';

const fs = require('fs');
const http2 = require('http2');

const [port, tlsPort, caFile, seconds, rate] = process.argv.slice(2);
const ca = fs.readFileSync(caFile);
const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = http2.constants;
const counts = { whole: 0, cancelled: 0, reset: 0, lost: 0, refused: 0, unsent: 0, connections: 0, wrong: 0, examples: [] };
const open = new Set();
const callers = [{ secure: false }, { secure: false }, { secure: true }, { secure: true }];

const upTo = (most) => Math.floor(Math.random() * most);
const chance = (of) => Math.random() < of;
const size = () => Math.floor(2 ** (Math.random() * 18));
const one = (...of) => of[upTo(of.length)];

function sessionOf(caller) {
  if (caller.session && !caller.session.closed && !caller.session.destroyed) return caller.session;
  const session = caller.secure
    ? http2.connect(`https://localhost:${tlsPort}`, { ca })
    : http2.connect(`http://127.0.0.1:${port}`);
  session.on('error', () => (session.lost = true));
  session.on('goaway', (code) => { if (code !== 0) wrong(`GOAWAY ${code}`); });
  caller.session = session;
  ++counts.connections;
  return session;
}

function wrong(what) {
  ++counts.wrong;
  if (counts.examples.length < 10) counts.examples.push(what);
}

function sendSlowly(stream, left) {
  if (stream.destroyed) return;
  if (left <= 0) return stream.end();
  stream.write(Buffer.alloc(Math.min(left, 8000), 'y'), () => setTimeout(sendSlowly, upTo(20), stream, left - 8000));
}

function ask(session) {
  const bytes = size();
  const end = chance(0.05) ? 'hang' : one('whole', 'whole', 'whole', 'whole', 'trailers', 'reset', 'leave');
  const upload = chance(0.3) ? size() : 0;
  const path = `/${one('plain', 'secure')}/a?bytes=${bytes}&end=${end}&delay=${chance(0.3) ? upTo(60) : 0}`;
  const stream = session.request({ ':path': path, ':method': upload ? 'POST' : 'GET' }, { endStream: !upload });
  const got = { bytes: 0 };
  let cancelled = false;
  open.add(stream);
  stream.on('response', (fields) => Object.assign(got, { status: fields[':status'], received: fields['x-received'] }));
  stream.on('trailers', (fields) => (got.end = fields['x-end']));
  stream.on('end', () => (got.ended = true));
  stream.on('error', (error) => (got.unsent = error.code === 'ERR_HTTP2_GOAWAY_SESSION'));
  stream.on('close', () => {
    open.delete(stream);
    // Node throws away what it has not given out yet when a session is closed by its own side.
    // It also sends nothing that waits for the connection of a session which its own side closes.
    if (session.lost || got.unsent || (session.closed && stream.isPaused())) return ++counts.lost;
    if (cancelled) return ++counts.cancelled;
    if (stream.rstCode === NGHTTP2_REFUSED_STREAM) return ++counts.refused;
    const whole = got.status === 200 && got.ended && stream.rstCode === 0 && got.bytes === bytes &&
      Number(got.received) === upload && (end !== 'trailers' || got.end === 'after');
    if (end === 'reset') return whole && bytes > 1 ? wrong(`${path} looked whole`) : ++counts.reset;
    if (whole) return ++counts.whole;
    // A server that leaves refuses it unseen, and it is not sent again, as its body did not come with its head.
    if (upload && got.status === 502) return ++counts.unsent;
    wrong(`${path} upload ${upload}: ${JSON.stringify(got)}, code ${stream.rstCode}`);
  });
  stream.on('data', (data) => (got.bytes += data.length));
  if (chance(0.1)) {
    stream.pause();
    setTimeout(() => stream.resume(), upTo(1500));
  }
  if (chance(0.2) || end === 'hang')
    setTimeout(() => {
      if (stream.destroyed) return;
      cancelled = true;
      stream.close(NGHTTP2_CANCEL);
    }, chance(0.5) ? upTo(10) : upTo(300));
  if (upload && chance(0.3)) sendSlowly(stream, upload);
  else if (upload) stream.end(Buffer.alloc(upload, 'y'));
}

function tick() {
  const caller = one(...callers);
  ask(sessionOf(caller));
  if (chance(0.002)) {
    caller.session.lost = true;
    caller.session.destroy();
  } else if (chance(0.002)) {
    caller.session.close();
  }
}

const timer = setInterval(tick, 1000 / Number(rate));
setTimeout(() => {
  clearInterval(timer);
  setTimeout(() => {
    if (open.size > 0) wrong(`${open.size} without an end`);
    console.log(JSON.stringify(counts));
    process.exit(0);
  }, 3000);
}, Number(seconds) * 1000);
