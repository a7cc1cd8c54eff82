/** Texts that time alone changes, such as `next in 21 sec.`: said anew in their places, so that nothing else is drawn. */
import { h } from './elements.js';
import { age } from './format.js';

/** What says the text of each element that has one. */
const sayings = new WeakMap();

/** @param {string} name of the element @param {(now: number) => string} say */
export function passing(name, say, now) {
  const element = h(name, { 'data-passing': true }, say(now));
  sayings.set(element, say);
  return element;
}

/** How long the oldest delivery waits. */
export const waitingFor = (iso, now) => {
  const say = (at) => (age(iso, at) === 'now' ? 'since just now' : `for ${age(iso, at)}`);
  return passing('span', say, now);
};

export function sayPassing(now) {
  for (const element of document.querySelectorAll('[data-passing]')) {
    const text = sayings.get(element)(now);
    if (element.textContent !== text) element.textContent = text;
  }
}
