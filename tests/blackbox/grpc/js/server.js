// A server of gRPC: server.js PORT

'use strict';

const grpc = require('@grpc/grpc-js');
const { service } = require('./wire.js');

const server = new grpc.Server();
server.addService(service, {
  unary(call, done) {
    const after = new grpc.Metadata();
    after.set('x-end', 'after');
    after.set('x-bytes-bin', Buffer.from([0, 255]));
    done(null, Buffer.from(`${call.request}:${call.metadata.get('x-mine').join()}`), after);
  },
  fails(call, done) {
    done({ code: grpc.status.NOT_FOUND, details: 'no such thing: ü 100%' });
  },
  slow(call, done) {
    const timer = setTimeout(done, 10000, null, Buffer.from('late'));
    call.on('cancelled', () => {
      clearTimeout(timer);
      console.log('slow was cancelled');
    });
  },
  remaining(call, done) {
    const until = call.getDeadline();
    done(null, Buffer.from(until === Infinity ? 'none' : `${(Number(until) - Date.now()) / 1000}`));
  },
  serves(call) {
    for (let i = 0; i < 3; ++i) call.write(Buffer.from(`${call.request}${i}`));
    call.end();
  },
  joins(call, done) {
    const parts = [];
    call.on('data', (part) => parts.push(part.toString()));
    call.on('end', () => done(null, Buffer.from(parts.join())));
  },
  echoes(call) {
    call.on('data', (part) => call.write(Buffer.concat([part, Buffer.from('!')])));
    call.on('end', () => call.end());
  },
});
server.bindAsync(`127.0.0.1:${process.argv[2]}`, grpc.ServerCredentials.createInsecure(), (failed) => {
  if (failed) throw failed;
});
