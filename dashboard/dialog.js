// Dialogs that ask before a change, report what was done, and offer each change as a curl command.

import { $, el, put, tell } from './dom.js';
import { asCurl, call } from './session.js';

/// Copies a text. If the browser does not allow that, for example without TLS, a dialog shows the text to copy by hand.
export async function copy(text, from) {
  try {
    await navigator.clipboard.writeText(text);
    const before = from.textContent;
    put(from, 'Copied');
    tell('Copied.');
    setTimeout(() => put(from, before), 1500);
  } catch {
    const field = el('textarea', { readonly: true, rows: '4', 'aria-label': 'The command', value: text });
    open('Copy this command', [field], [closer('Close')]);
    field.select();
  }
}

function closer(text) {
  return el('button', { type: 'button', class: 'plain', on: { click: () => $('dialog').close() } }, text);
}

function open(title, content, buttons) {
  const dialog = $('dialog');
  dialog.replaceChildren(el('h2', { id: 'dialog-h', text: title }), ...content,
    el('p', { class: 'buttons' }, ...buttons));
  if (!dialog.open) dialog.showModal();
  return dialog;
}

/// Shows a form with `fields` ({name, label, value, hint, required, most}). Then makes the call {method, path, body}
/// that `of(values)` returns. `done(answer)` returns the sentence that reports the change. If a change is refused
/// without "force", the user may repeat it with the call of `of(values, true)`.
export function ask({ title, text, fields = [], yes, danger = false, of, done, then }) {
  const form = el('form', { class: 'form', method: 'dialog' });
  if (text) form.append(el('p', { text }));
  for (const field of fields)
    form.append(el('label', {}, field.label,
      el('input', { name: field.name, value: field.value ?? '', required: field.required, autocomplete: 'off',
        spellcheck: 'false', placeholder: field.hint, maxlength: field.most })));
  const problem = el('p', { class: 'problem', role: 'alert' });
  let force = false;
  const values = () => Object.fromEntries(new FormData(form));
  const command = el('button', { type: 'button', class: 'plain', on: { click: () => {
    const wanted = of(values(), force);
    copy(asCurl(wanted.method, wanted.path, wanted.body), command);
  } } }, 'Copy as curl');
  const submit = el('button', { type: 'submit', class: danger ? 'danger' : '' }, yes);
  form.append(problem, el('p', { class: 'buttons' }, submit, closer('Cancel'), command));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    submit.disabled = true;
    put(problem, '');
    try {
      const wanted = of(values(), force);
      const answer = await call(wanted.method, wanted.path, wanted.body);
      $('dialog').close();
      note(done(answer));
      if (then) then(answer);
    } catch (refused) {
      force = refused.parameter === 'force';
      put(problem, force ? refused.message.replace(/ Add \?force.*/, '') : refused.message);
      if (force) put(submit, `${yes} anyway`);
      submit.disabled = false;
    }
  });
  const dialog = open(title, [form], []);
  dialog.lastElementChild.remove();
  (form.querySelector('input') ?? submit).focus();
}

let noted = 0;
/// Shows `text` at the bottom of the page for six seconds.
export function note(text) {
  tell(text);
  let toast = $('toast');
  if (!toast) {
    toast = el('div', { id: 'toast', class: 'toast', 'aria-hidden': 'true' });
    document.body.append(toast);
  }
  put(toast, text);
  toast.dataset.on = 'yes';
  clearTimeout(noted);
  noted = setTimeout(() => { toast.dataset.on = ''; }, 6000);
}

/// Opens a dialog with a form of the caller.
export function openForm(title, form) {
  const dialog = open(title, [form], []);
  dialog.lastElementChild.remove();
  form.querySelector('input')?.focus();
}

/// Returns, for example, "2 of 2 gateways apply it."; "" if the answer has no such count.
export function heard(answer) {
  const gateways = answer.gateways;
  if (!gateways) return '';
  if (gateways.written === false) return ' Redis does not answer, so for now only this gateway applies it.';
  return gateways.heard === undefined ? '' : ` ${gateways.heard} of ${gateways.of} gateways apply it.`;
}
