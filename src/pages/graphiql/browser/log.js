/** The results of a subscription, newest first, in a panel above the line about the last response. */

const panel = document.getElementById('log');
const list = panel.querySelector('ol');
const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Results may have megabytes: beyond either, the oldest is dropped. */
const most = { results: 100, characters: 2_000_000 };
let characters = 0;

/** @param {number} number counted from 1 */
export function logResult(number, result) {
  const text = JSON.stringify(result, null, 2);
  const item = document.createElement('li');
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  const line = document.createElement('code');
  line.textContent = JSON.stringify(result.errors ?? result.data ?? result).slice(0, 200);
  summary.append(`${number}`, Object.assign(document.createElement('time'), { textContent: times.format() }), line);
  const whole = Object.assign(document.createElement('pre'), { textContent: text, tabIndex: 0 });
  details.append(summary, whole);
  item.append(details);
  item.toggleAttribute('data-failed', result.errors !== undefined);
  list.prepend(item);
  characters += text.length;
  while (list.children.length > most.results || (characters > most.characters && list.children.length > 1)) {
    characters -= list.lastElementChild.querySelector('pre').textContent.length;
    list.lastElementChild.remove();
  }
  panel.hidden = false;
}

export function clearLog() {
  list.replaceChildren();
  characters = 0;
  panel.hidden = true;
}

panel.querySelector('button').addEventListener('click', () => {
  clearLog();
  // The button that had the focus is gone.
  document.querySelector('.graphiql-execute-button').focus();
});
