/** Texts of pnet posts, combined from sentences of one topic. */
import { pick, seededHash } from '../seeded-random.ts';

type Sentences = readonly [string, ...string[]];

interface Topic {
  readonly titles: Sentences;
  readonly openings: Sentences;
  readonly middles: Sentences;
  readonly closings: Sentences;
  readonly tags: Sentences;
}

/** A word in braces is replaced by one of {@link words}. */
const topics: readonly [Topic, ...Topic[]] = [
  {
    titles: ['We are hiring', 'Join the {team} team', 'An open role in {city}'],
    openings: [
      'We are hiring for our {team} team in {city}.',
      'My {team} team has an open role, and I would love to hear from you. 👋',
      'After {number} good conversations we still look for one more colleague in {team}.',
      'New opening: {team}, {city} or remote, full time or four days a week.',
    ],
    middles: [
      'You will own a part of {product} from the first sketch to the call from a happy customer.',
      'No puzzles on a whiteboard: we pair for an hour on a real problem and talk about it.',
      'The salary is in the posting, the process takes {number} days, and everyone gets an answer.',
      'We care more about how you explain a decision than about which tools you have used.',
    ],
    closings: [
      'Know someone? Send them my way.',
      'The link is in the first comment.',
      'Questions are welcome here or in a message.',
    ],
    tags: ['#hiring #{team}', '#jobs #{city}', '#nowhiring'],
  },
  {
    titles: ['{product} is here', 'Shipped: {product}', 'What is new in {product}'],
    openings: [
      'Today {product} is out. 🎉',
      'It took us {number} months, two rewrites and a lot of tea: {product} is live.',
      'Small release, big relief: the new version of {product} starts in under a second.',
      'Our customers in {city} have used it for weeks, and now everyone can: {product}.',
    ],
    middles: [
      'The feature that people asked for most is the one we built last, because it needed all the others.',
      'We deleted more code than we wrote, and support requests fell by {number} percent.',
      'It reads the plans that people already have instead of asking them to type everything again.',
      'The first version was clever. This one is simple, and it is used.',
    ],
    closings: [
      'Try it and tell us what annoys you.',
      'Proud of everyone in {team} who made this happen.',
      'On to the next {number} issues.',
    ],
    tags: ['#product #launch', '#buildinpublic', '#{team}'],
  },
  {
    titles: ['A lesson in {team}', 'What I got wrong', '{number} months later'],
    openings: [
      'I was wrong about meetings.',
      'The outage of last month taught me more than a year of green dashboards.',
      '{number} months into leading {team}, here is what I would tell myself on the first day.',
      'An unpopular opinion: most roadmaps are lists of promises that nobody remembers making.',
    ],
    middles: [
      'We wrote down what we knew, what we guessed and what we hoped. The third list was the longest.',
      'Nobody needed a better tool. They needed ten minutes and a question that was safe to ask.',
      'When a team is slow, look at what it waits for, not at how it works.',
      'We stopped estimating and started cutting the work until it fits into {number} days.',
    ],
    closings: [
      'What would you add?',
      'I would love to hear where it went differently.',
      'It is not finished, and that is fine.',
    ],
    tags: ['#leadership', '#lessonslearned #{team}', '#engineering'],
  },
  {
    titles: ['See you in {city}', 'Notes from {city}', 'A talk about {product}'],
    openings: [
      'Back from {city} with a notebook full of ideas.',
      'Next week I speak in {city} about how we built {product}.',
      'Forty people, one room in {city}, no slides: our {team} meetup was a joy. ☕',
      'Thank you, {city}! The questions were better than the talk.',
    ],
    middles: [
      'The best conversation was in the queue for lunch, as always.',
      'I will show the {number} mistakes that we made, in order, with graphs.',
      'Three people told me the same story about their data, so we now meet every month.',
      'Everything is recorded, and the notes are open to all.',
    ],
    closings: ['Say hello if you are around.', 'Who else is coming?', 'Slides follow on Friday.'],
    tags: ['#meetup #{city}', '#conference', '#community #{team}'],
  },
  {
    titles: ['{number} years', 'A colleague to thank', 'Welcome to the team'],
    openings: [
      'Today our {team} team has grown to {number}. Welcome to all who joined this month!',
      'A customer in {city} sent us cake. 🍰 A first.',
      'This week was about people who never ask for credit.',
      'One of us goes on parental leave today, and the whole of {team} learned to share the pager.',
    ],
    middles: [
      'They found the reason for a bug that we had explained away for {number} weeks.',
      'It began with a question in a corridor, and it ended with a plan that everyone understood.',
      'The handover took two days because the documents were already there. Write things down!',
      'Kindness scales better than process.',
    ],
    closings: ['Thank you. 🙏', 'Be like them.', 'Here is to the next {number}.'],
    tags: ['#team', '#gratitude #{team}', '#culture'],
  },
];

const words: Readonly<Record<string, Sentences>> = {
  team: ['platform', 'mobile', 'data', 'design', 'support', 'payments', 'search', 'robotics'],
  city: ['Lisbon', 'Tallinn', 'Nairobi', 'Montréal', 'Kraków', 'Osaka', 'Bogotá', 'Wellington', 'Malmö'],
  product: ['Fieldnote', 'the new planner', 'Harbour 2', 'Lantern', 'our open API', 'the pocket scheduler'],
  number: ['3', '5', '6', '8', '9', '12', '14', '20', '30'],
};

/** Equal seeds give equal texts. */
export function write(seed: number): { readonly title: string; readonly text: string } {
  const topic = pick(topics, seed);
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
