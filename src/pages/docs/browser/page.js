/** Search, the current section, tabs of code and copy buttons of the documentation. Without JavaScript the pages are whole but for these. */
import { copyText } from './clipboard.js';
import { h } from './elements.js';

/** @typedef {readonly [address: string, page: string, heading: string, text: string]} Section */

const mostShown = 12;
/** Characters around the first word that is found. */
const excerptLength = 140;

const dialog = document.querySelector('#search-dialog');
const field = dialog.querySelector('input');
const list = dialog.querySelector('ol');
const button = document.querySelector('#search-button');

/** @type {Promise<readonly Section[]> | null} */
let index = null;

/** Read when somebody searches; again after a failure. */
const readIndex = () => {
  index ??= fetch(dialog.dataset.index).then((response) => {
    if (!response.ok) throw new Error(`The index could not be read: ${response.status}`);
    return response.json();
  });
  return index;
};

/**
 * Sections that have all words, best first: words of headings count most, and those that begin a heading more.
 * @param {readonly Section[]} sections
 * @param {readonly string[]} words in lower case
 */
function find(sections, words) {
  const found = sections.flatMap((section) => {
    const [, page, heading, text] = section.map((part) => part.toLowerCase());
    const scores = words.map((word) => {
      if (heading.startsWith(word)) return 20;
      if (heading.includes(word)) return 10;
      if (page.includes(word)) return 5;
      return text.includes(word) ? 1 : Number.NEGATIVE_INFINITY;
    });
    const score = scores.reduce((sum, each) => sum + each, 0);
    return score > 0 ? [{ section, score }] : [];
  });
  return found.sort((one, other) => other.score - one.score).map(({ section }) => section);
}

/** A text with the words marked. */
function marked(text, words) {
  const pattern = new RegExp(`(${words.map(escaped).join('|')})`, 'gi');
  return text.split(pattern).map((part, at) => (at % 2 === 1 ? h('mark', {}, part) : part));
}

const escaped = (word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

function excerptOf(text, [word]) {
  const from = Math.max(0, text.toLowerCase().indexOf(word) - excerptLength / 3);
  const excerpt = text.slice(from, from + excerptLength);
  return `${from > 0 ? '…' : ''}${excerpt}${from + excerptLength < text.length ? '…' : ''}`;
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const asked = field.value;
  const told = (text) => list.replaceChildren(h('li.told', {}, text));
  if (words.length === 0) return list.replaceChildren();
  try {
    const found = find(await readIndex(), words);
    // Something else has been typed meanwhile.
    if (field.value !== asked) return;
    if (found.length === 0) return told('Nothing has all of these words.');
    list.replaceChildren(
      ...found
        .slice(0, mostShown)
        .map(([address, page, heading, text]) =>
          h(
            'li',
            {},
            h(
              'a',
              { href: address },
              h('strong', {}, marked(heading === page ? page : `${page} › ${heading}`, words)),
              h('span', {}, marked(excerptOf(text, words), words)),
            ),
          ),
        ),
    );
  } catch {
    index = null;
    told('The index could not be read. Try again.');
  }
}

/** The arrows go through what was found. */
function move(event) {
  const links = [field, ...list.querySelectorAll('a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Enter' && event.target === field) {
    event.preventDefault();
    links[1]?.click();
  } else if (step !== undefined) {
    event.preventDefault();
    links.at((links.indexOf(document.activeElement) + step) % links.length)?.focus();
  }
}

const open = () => {
  if (!dialog.open) dialog.showModal();
  field.select();
};

button.hidden = false;
button.addEventListener('click', open);
if (location.hash === '#search') open();
field.addEventListener('input', search);
dialog.addEventListener('keydown', move);
// A heading of this page is shown behind it.
dialog.addEventListener('click', (event) => {
  if (event.target === dialog || event.target.closest('a')) dialog.close();
});
addEventListener('keydown', (event) => {
  const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
  if (!isShortcut && (event.key !== '/' || event.target.matches('input, textarea'))) return;
  event.preventDefault();
  open();
});

for (const block of document.querySelectorAll('.code')) {
  const copy = h('button.copy', { type: 'button', 'aria-label': 'Copy the code' }, 'Copy');
  copy.addEventListener('click', async () => {
    const { textContent } = block.querySelector('pre:not([hidden])');
    const isCopied = await copyText(textContent.trimEnd()).then(
      () => true,
      () => false,
    );
    copy.textContent = isCopied ? 'Copied' : 'Not allowed';
    setTimeout(() => {
      copy.textContent = 'Copy';
    }, 2_000);
  });
  block.querySelector('.tools').append(copy);
}

/** The operation, or the program that sends it, which was chosen last on any page. */
const chosenTab = 'postern:docs-tab';

/** Shows the panels of one name in all blocks. Names of tabs that are gone choose the first. */
function choose(name) {
  for (const tab of document.querySelectorAll('.tabs [role=tab]')) {
    const isChosen = tab.textContent === name;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    document.getElementById(tab.getAttribute('aria-controls')).hidden = !isChosen;
  }
}

function onTab(event) {
  const { target } = event;
  if (target.role !== 'tab') return;
  const tabs = [...target.parentElement.children];
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const to = { Home: 0, End: -1 }[event.key] ?? (step && (tabs.indexOf(target) + step) % tabs.length);
  const next = event.type === 'click' ? target : to !== undefined && tabs.at(to);
  if (!next) return;
  event.preventDefault();
  // What others show above it is as long as it likes: the tab stays where it was.
  const { top } = next.getBoundingClientRect();
  choose(next.textContent);
  localStorage.setItem(chosenTab, next.textContent);
  next.focus({ preventScroll: true });
  scrollBy({ top: next.getBoundingClientRect().top - top, behavior: 'instant' });
}

for (const [at, block] of document.querySelectorAll('.code[data-origin]').entries()) {
  const panels = [...block.querySelectorAll('pre')];
  const tabs = panels.map((panel) => {
    const { tab: name } = panel.dataset;
    panel.id = `code-${at}-${name}`;
    panel.role = 'tabpanel';
    panel.setAttribute('aria-labelledby', `${panel.id}-tab`);
    return h('button', { type: 'button', role: 'tab', id: `${panel.id}-tab`, 'aria-controls': panel.id }, name);
  });
  block.prepend(h('div.tabs', { role: 'tablist', 'aria-label': 'Code', onclick: onTab, onkeydown: onTab }, ...tabs));
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    text.data = text.data.replaceAll(block.dataset.origin, location.origin);
  }
}
const last = localStorage.getItem(chosenTab);
choose(document.querySelector(`[data-tab="${CSS.escape(last ?? '')}"]`) === null ? 'GraphQL' : last);

/** Marks the section that is read in the contents of the page. */
function markSection() {
  const read = sections.findLast(({ heading }) => heading.getBoundingClientRect().top < 120) ?? sections[0];
  // The last ones may be too short to come up so far.
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const current = isAtEnd && scrollY > 0 ? sections.at(-1) : read;
  for (const { link } of sections) {
    if (link === current.link) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
  }
}

const sections = [...document.querySelectorAll('.contents a')].map((link) => ({
  link,
  heading: document.getElementById(link.hash.slice(1)),
}));
if (sections.length > 0) {
  addEventListener('scroll', markSection, { passive: true });
  markSection();
}
