// Asks for a token of the admin block. Only the memory of this page keeps it.

import { $, el, put, tell } from './dom.js';
import { openForm } from './dialog.js';
import { useToken, who } from './session.js';

export function askToken(then) {
  if ($('dialog').open) return;
  const field = el('input', { name: 'token', type: 'password', required: true, autocomplete: 'off',
    spellcheck: 'false' });
  const problem = el('p', { class: 'problem', role: 'alert' });
  const form = el('form', { class: 'form' },
    el('p', { text: 'This gateway requires a token from its admin block. With read_token you can see everything, with token you can '
      + 'also make changes. This page keeps the token in memory until you close it.' }),
    el('label', {}, 'Token', field), problem,
    el('p', { class: 'buttons' }, el('button', { type: 'submit' }, 'Sign in')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    put(problem, '');
    try {
      await useToken(field.value.trim());
      $('dialog').close();
      tell(`You can ${who.role === 'operator' ? 'see everything and make changes' : 'see everything'}.`);
      then();
    } catch (refused) {
      put(problem, refused.status === 401 ? 'This is not a token of this gateway.' : refused.message);
      field.select();
    }
  });
  openForm('Sign in', form);
}
