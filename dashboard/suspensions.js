// The suspended callers, with a button to lift each suspension.

import { $, button, either, el, put, show as visible, table } from './dom.js';
import { ask, heard } from './dialog.js';
import { caller, count, moment, span } from './format.js';
import { mayChange } from './session.js';

const kShown = 100;

function lift(row) {
  const key = row.key ?? row.key_id;
  ask({ title: `Lift the suspension of ${caller(row)}`, yes: 'Lift', text: `Its requests are accepted again under limit ${row.limit}.`,
    of: () => ({ method: 'DELETE',
      path: `/api/v1/bans?limit=${encodeURIComponent(row.limit)}&key=${encodeURIComponent(key)}` }),
    done: (answer) => `${caller(row)} is no longer suspended under limit ${row.limit}.${heard(answer)}` });
}

const whole = table('Suspensions', [
  { name: 'Caller', kind: 'name', change: (cell, row) => {
    if (cell.children.length === 0) cell.append(el('span', { class: 'main key' }), el('span', { class: 'under' }));
    put(cell.children[0], caller(row));
    put(cell.children[1], `under ${row.limit}, ${row.reason === 'operator' ? 'by an operator' : `for ${row.reason}`}`
      + (row.observed ? ' (only observed)' : ''));
  } },
  { name: 'Until', kind: 'number', text: (row) => moment(row.until) },
  { name: 'Ends in', kind: 'number', text: (row) => span(row.seconds_left) },
  { name: 'Actions', kind: 'acts', change: (cell, row) => {
    if (cell.children.length === 0)
      cell.append(button('Lift', () => lift(cell.parentNode.item), { 'aria-label': `Lift the suspension of ${caller(row)}` }));
    visible(cell.firstChild, mayChange());
  } },
]);

export function show(look) {
  const rows = look.bans.bans;
  put($('suspensions-count'), rows.length ? count(rows.length) : '');
  either($('suspensions-body'), whole.whole, rows.length > 0, 'Nobody is suspended.');
  whole.update(rows.slice(0, kShown), (row) => `${row.limit} ${caller(row)}`);
}
