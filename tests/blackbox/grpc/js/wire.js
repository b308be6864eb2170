// What client.js and server.js share: a service whose messages are plain bytes, so nothing is generated.

'use strict';

const bytes = { encode: (value) => value, decode: (value) => value };

function method(name, requestStream, responseStream) {
  return {
    path: `/test.Echo/${name}`,
    requestStream,
    responseStream,
    requestSerialize: bytes.encode,
    requestDeserialize: bytes.decode,
    responseSerialize: bytes.encode,
    responseDeserialize: bytes.decode,
  };
}

exports.service = {
  unary: method('Unary', false, false),
  fails: method('Fails', false, false),
  slow: method('Slow', false, false),
  remaining: method('Remaining', false, false),
  serves: method('Serves', false, true),
  joins: method('Joins', true, false),
  echoes: method('Echoes', true, true),
};
