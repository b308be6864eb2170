// Reads documents with JSON.parse. Each line of the input is a document in hexadecimal. For each of them and each pointer
// of the test, a line of the output says what a program would see there.
'use strict';
const fs = require('fs');
const pointers = [['model'], ['usage', 'total'], ['list', '1']];

function at(value, steps) {
  for (const step of steps) {
    if (value === null || typeof value !== 'object' || !Object.prototype.hasOwnProperty.call(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

function said(value) {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return 'number ' + BigInt(Math.min(Math.max(Math.ceil(value), -1e15), 1e15));
  if (typeof value === 'string') return 'text ' + Buffer.from(value).toString('hex');
  return 'structure';
}

const out = [];
for (const line of fs.readFileSync(process.argv[2], 'utf8').split('\n').slice(0, -1)) {
  let document;
  let refused = false;
  try {
    document = JSON.parse(Buffer.from(line, 'hex').toString());
  } catch {
    refused = true;
  }
  for (const steps of pointers) out.push(refused ? 'refused' : said(at(document, steps)));
}
fs.writeFileSync(process.argv[3], out.join('\n') + '\n');
