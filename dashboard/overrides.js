// Keys that have a different rate for a limited time, each with a button to end that.

import { $, button, either, el, put, show as visible, table } from './dom.js';
import { ask, heard } from './dialog.js';
import { caller, count, span } from './format.js';
import { mayChange, segment } from './session.js';

const kShown = 100;

function lift(row) {
  const key = row.key === undefined || /^\.{0,2}$/.test(row.key) ? row.key_id : row.key;
  ask({ title: `End the override of ${caller(row)}`, yes: 'End it',
    text: `The configured rate of limit ${row.limit} applies again.`,
    of: () => ({ method: 'DELETE', path: `/api/v1/limits/${segment(row.limit)}/overrides/${segment(key)}` }),
    done: (answer) => `The configured rate of limit ${row.limit} applies to ${caller(row)} again.${heard(answer)}` });
}

function rateOf(row) {
  const rates = Array.isArray(row.rate) ? row.rate.join(', ') : row.rate;
  return row.burst ? `${rates}, burst ${count(row.burst)}` : rates;
}

const whole = table('Overrides', [
  { name: 'Caller', kind: 'name', change: (cell, row) => {
    if (cell.children.length === 0) cell.append(el('span', { class: 'main key' }), el('span', { class: 'under' }));
    put(cell.children[0], caller(row));
    put(cell.children[1], `under ${row.limit}${row.why ? `: ${row.why}` : ''}`);
  } },
  { name: 'Rate', text: rateOf },
  { name: 'Ends in', kind: 'number', text: (row) => span(row.seconds_left) },
  { name: 'Actions', kind: 'acts', change: (cell, row) => {
    if (cell.children.length === 0)
      cell.append(button('End it', () => lift(cell.parentNode.item), { 'aria-label': `End the override of ${caller(row)}` }));
    visible(cell.firstChild, mayChange());
  } },
]);

export function show(look) {
  const rows = look.overrides.overrides;
  put($('overrides-count'), rows.length ? count(rows.length) : '');
  either($('overrides-body'), whole.whole, rows.length > 0, 'No key has an override.');
  whole.update(rows.slice(0, kShown), (row) => `${row.limit} ${caller(row)}`);
}
