// What the gateway has reported, the newest first.

import { $, either, el, keyed, put } from './dom.js';
import { moment } from './format.js';

const kNot = new Set(['ts', 'level', 'instance', 'event', 'message']);
const list = el('ol', { class: 'events' });

function detailsOf(event) {
  const fields = Object.entries(event).filter(([name]) => !kNot.has(name))
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`);
  return [event.message, ...fields].filter(Boolean).join(' · ');
}

function make() {
  return el('li', {}, el('time'), el('b'), el('span', { class: 'what' }));
}

function change(node, { event }) {
  node.dataset.kind = event.level;
  put(node.children[0], moment(event.ts));
  put(node.children[1], (event.event ?? '').replaceAll('_', ' '));
  put(node.children[2], detailsOf(event));
}

export function show(look) {
  const known = new Map();
  const rows = look.events.map((event) => {
    const id = `${event.ts} ${event.event}`;
    const nth = (known.get(id) ?? 0) + 1;
    known.set(id, nth);
    return { id: `${id} ${nth}`, event };
  }).reverse();
  either($('events-body'), list, rows.length > 0, 'Nothing has happened since the start.');
  keyed(list, rows, (row) => row.id, make, change);
}
