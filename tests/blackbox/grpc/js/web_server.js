// A server of gRPC whose messages are texts: web_server.js PORT

'use strict';

const grpc = require('@grpc/grpc-js');
const { service } = require('./web_wire.js');

const trailers = (fields) => {
  const out = new grpc.Metadata();
  for (const [name, value] of Object.entries(fields)) out.set(name, value);
  return out;
};

const server = new grpc.Server();
server.addService(service, {
  unary(call, done) {
    call.sendMetadata(trailers({ 'x-first': '1' }));
    done(null, `${call.request}:${call.metadata.get('x-mine').join()}`, trailers({ 'x-end': 'after', 'x-bytes-bin': Buffer.from([0, 255]) }));
  },
  fails(call, done) {
    done({ code: grpc.status.NOT_FOUND, details: 'no such thing: ü 100%', metadata: trailers({ 'x-why': 'gone' }) });
  },
  serves(call) {
    const [text, count] = call.request.split(' ');
    for (let i = 0; i < Number(count); i += 1) call.write(text + i);
    call.end(trailers({ 'x-end': 'after' }));
  },
  breaks(call) {
    call.write('one');
    call.emit('error', { code: grpc.status.DATA_LOSS, details: 'the rest is lost' });
  },
});
server.bindAsync(`127.0.0.1:${process.argv[2]}`, grpc.ServerCredentials.createInsecure(), (failed) => {
  if (failed) throw failed;
});
