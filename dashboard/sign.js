// Asks once for a token of the admin block. Only the memory of this page keeps it.

import { $, el, put, tell } from './dom.js';
import { openForm } from './dialog.js';
import { useToken, who } from './session.js';

export function askToken(then) {
  if ($('dialog').open) return;
  const field = el('input', { name: 'token', type: 'password', required: true, autocomplete: 'off',
    spellcheck: 'false' });
  const problem = el('p', { class: 'problem', role: 'alert' });
  const form = el('form', { class: 'form' },
    el('p', { text: 'This gateway wants a token of its admin block. A reader’s shows everything, an operator’s also '
      + 'changes. It is kept in the memory of this page until you close it.' }),
    el('label', {}, 'Token', field), problem,
    el('p', { class: 'buttons' }, el('button', { type: 'submit' }, 'Go on')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    put(problem, '');
    try {
      await useToken(field.value.trim());
      $('dialog').close();
      tell(`You may ${who.role === 'operator' ? 'look and change' : 'look'}.`);
      then();
    } catch (refused) {
      put(problem, refused.status === 401 ? 'This gateway does not know this token.' : refused.message);
      field.select();
    }
  });
  openForm('Who are you?', form);
}
