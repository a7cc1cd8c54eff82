/** What an example shows, in a card above the editors that can be folded away. */
import { examples } from './examples.js';
import { storage } from './storage.js';

const element = (id) => document.getElementById(id);
const isFolded = 'card:folded';

/** @param {(example: object, isBeside: boolean) => void} open called with the example to try next, and whether this one runs on */
export function prepareCard(open) {
  const card = element('card');
  const details = card.querySelector('details');
  // A phone has room for the title.
  details.open = innerWidth > 760 && storage.getItem(isFolded) !== 'true';
  details.querySelector('summary').addEventListener('click', () => storage.setItem(isFolded, String(details.open)));
  element('next').addEventListener('click', ({ currentTarget: { dataset } }) =>
    open(examples[dataset.example], 'beside' in dataset),
  );
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
  // What a subscription waits for happens while it runs.
  const isBeside = example.query.startsWith('subscription');
  element('next').textContent = `Try next${isBeside ? ' in a new tab' : ''}: ${next.title}`;
  element('next').dataset.example = example.next;
  element('next').toggleAttribute('data-beside', isBeside);
}
