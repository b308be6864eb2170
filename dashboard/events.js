// The last events, newest first. Each is shown as a sentence that the gateway writes, with its fields behind
// "Details".

import { $, either, el, keyed, put, show as visible } from './dom.js';
import { moment } from './format.js';

const kShownElsewhere = new Set(['ts', 'level', 'instance', 'event', 'message', 'sentence']);
const list = el('ol', { class: 'events' });

const textOf = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/// Returns the fields whose values are not in the sentence.
function fieldsOf(event) {
  return Object.entries(event).map(([name, value]) => [name, textOf(value)])
    .filter(([name, text]) => !kShownElsewhere.has(name) && text && !event.sentence.includes(text));
}

function make() {
  return el('li', {}, el('time'), el('div', { class: 'what' }, el('span'),
    el('details', {}, el('summary', { text: 'Details' }), el('dl', { class: 'pairs' }))));
}

function change(node, { event }) {
  node.dataset.kind = event.level;
  put(node.children[0], moment(event.ts));
  const [sentence, details] = node.children[1].children;
  put(sentence, event.sentence);
  const fields = [['event', event.event], ...fieldsOf(event)];
  visible(details, fields.length > 1);
  keyed(details.lastChild, fields, ([name]) => name, ([name]) => el('div', {}, el('dt', { text: name }), el('dd')),
    (pair, [, text]) => put(pair.lastChild, text));
}

export function show(look) {
  const known = new Map();
  const rows = look.events.map((event) => {
    const id = `${event.ts} ${event.event}`;
    const nth = (known.get(id) ?? 0) + 1;
    known.set(id, nth);
    return { id: `${id} ${nth}`, event };
  }).reverse();
  either($('events-body'), list, rows.length > 0, 'Nothing has happened since startup.');
  keyed(list, rows, (row) => row.id, make, change);
}
