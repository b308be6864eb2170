// Keys that have another size for a time, and an end to it.

import { $, button, either, el, put, show as visible, table } from './dom.js';
import { ask, heard } from './dialog.js';
import { caller, count, span } from './format.js';
import { mayChange, segment } from './session.js';

const kShown = 100;

function lift(row) {
  const key = row.key === undefined || /^\.{0,2}$/.test(row.key) ? row.key_id : row.key;
  ask({ title: `End the override of ${caller(row)}`, yes: 'End it', text: `It has its usual size of ${row.limit} again.`,
    of: () => ({ method: 'DELETE', path: `/api/v1/limits/${segment(row.limit)}/overrides/${segment(key)}` }),
    done: (answer) => `${caller(row)} has its usual size of ${row.limit} again.${heard(answer)}` });
}

function rateOf(row) {
  const rates = Array.isArray(row.rate) ? row.rate.join(', ') : row.rate;
  return row.burst ? `${rates}, ${count(row.burst)} at once` : rates;
}

const whole = table('Overrides', [
  { name: 'Caller', kind: 'name', change: (cell, row) => {
    if (cell.children.length === 0) cell.append(el('span', { class: 'main key' }), el('span', { class: 'under' }));
    put(cell.children[0], caller(row));
    put(cell.children[1], `under ${row.limit}${row.why ? `: ${row.why}` : ''}`);
  } },
  { name: 'Size', text: rateOf },
  { name: 'Left', kind: 'number', text: (row) => span(row.seconds_left) },
  { name: 'Do', kind: 'acts', says: 'What to do', change: (cell, row) => {
    if (cell.children.length === 0)
      cell.append(button('End it', () => lift(cell.parentNode.item), { 'aria-label': `End the override of ${caller(row)}` }));
    visible(cell.firstChild, mayChange());
  } },
]);

export function show(look) {
  const rows = look.overrides.overrides;
  put($('overrides-count'), rows.length ? count(rows.length) : '');
  either($('overrides-body'), whole.whole, rows.length > 0, 'No key has another size.');
  whole.update(rows.slice(0, kShown), (row) => `${row.limit} ${caller(row)}`);
}
