// What web_client.js and web_server.js share: a service whose messages are texts (google.protobuf.StringValue), described here, so that
// nothing is generated.

'use strict';

const { create, createFileRegistry, fromBinary, toBinary } = require('@bufbuild/protobuf');
const { FileDescriptorProtoSchema, file_google_protobuf_wrappers, StringValueSchema } = require('@bufbuild/protobuf/wkt');

const text = '.google.protobuf.StringValue';
const method = (name, serverStreaming) => ({ name, inputType: text, outputType: text, serverStreaming });
const file = create(FileDescriptorProtoSchema, {
  name: 'test.proto',
  package: 'test',
  syntax: 'proto3',
  dependency: ['google/protobuf/wrappers.proto'],
  service: [{
    name: 'Echo',
    method: [method('Unary', false), method('Fails', false), method('Serves', true), method('Breaks', true)],
  }],
});

exports.Echo = createFileRegistry(file, () => file_google_protobuf_wrappers).getService('test.Echo');

const encode = (value) => Buffer.from(toBinary(StringValueSchema, create(StringValueSchema, { value })));
const decode = (bytes) => fromBinary(StringValueSchema, bytes).value;
exports.service = Object.fromEntries(exports.Echo.methods.map((each) => [each.localName, {
  path: `/test.Echo/${each.name}`,
  requestStream: false,
  responseStream: each.methodKind === 'server_streaming',
  requestSerialize: encode,
  requestDeserialize: decode,
  responseSerialize: encode,
  responseDeserialize: decode,
}]));
