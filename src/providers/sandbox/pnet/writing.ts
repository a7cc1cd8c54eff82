/** Texts of pnet posts, combined from sentences of one topic. A word in braces is replaced by one of `words`. */
import { pick, seededHash } from '../seeded-random.ts';
import texts from '../texts.json' with { type: 'json' };

const words: Readonly<Record<string, readonly string[]>> = texts.words;

/** Equal seeds give equal texts. */
export function write(seed: number): { readonly title: string; readonly text: string } {
  const topic = pick(texts.topics, seed);
  const [opening, middle, closing, tags, title] = [
    pick(topic.openings, seededHash(seed, 1)),
    pick(topic.middles, seededHash(seed, 2)),
    pick(topic.closings, seededHash(seed, 3)),
    pick(topic.tags, seededHash(seed, 4)),
    pick(topic.titles, seededHash(seed, 5)),
  ];
  // The seed alone chooses the words, so a post names one city and one team throughout.
  return { title: capital(fillIn(title, seed)), text: fillIn(`${opening}\n\n${middle} ${closing}\n\n${tags}`, seed) };
}

const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

const fillIn = (template: string, seed: number): string =>
  template.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const list = words[name];
    return list === undefined ? slot : pick(list, seededHash(seed, name.length + name.charCodeAt(0)));
  });
