/** What an example shows, in a card above the editors that can be folded away. */
import { examples } from './examples.js';
import { storage } from './storage.js';

const element = (id) => document.getElementById(id);
const isFolded = 'card:folded';

/** @param {(example: object) => void} open called with the example to try next */
export function prepareCard(open) {
  const card = element('card');
  const details = card.querySelector('details');
  // A phone has room for the title.
  details.open = innerWidth > 760 && storage.getItem(isFolded) !== 'true';
  details.querySelector('summary').addEventListener('click', () => storage.setItem(isFolded, String(details.open)));
  element('next').addEventListener('click', ({ currentTarget }) => open(examples[currentTarget.dataset.example]));
}

/** @param {string} query an operation of another name than an example's has no card */
export function showCard(query) {
  const [, name] = /^(?:query|mutation|subscription)\s+(\w+)/m.exec(query) ?? [];
  const example = Object.hasOwn(examples, name) ? examples[name] : undefined;
  element('card').hidden = example === undefined;
  if (example === undefined) return;
  element('card-title').textContent = example.title;
  const next = examples[example.next];
  // The button says it, where there is nothing else to try.
  const lines = example.about.filter((line) => line !== `Try next: "${next.title}".`);
  element('about').replaceChildren(
    ...lines.map((line) => Object.assign(document.createElement('p'), { textContent: line })),
  );
  element('next').textContent = `Try next: ${next.title}`;
  element('next').dataset.example = example.next;
}
