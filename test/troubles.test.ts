import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTroubles } from '../src/kernel/troubles.ts';
import { DatabaseFault } from '../src/store/faults.ts';

const away = () => new DatabaseFault('unavailable', new Error('no route'));
const locked = () => new DatabaseFault('slow', new Error('locked'));

/** What each piece of work says, and the lines of the log. */
const cases: Readonly<Record<string, readonly [said: string, lines: readonly string[]]>> = {
  'the database is away': [
    'queue:away queue:away sweep:away look:away queue:ok queue:ok sweep:ok look:ok',
    ['away', 'back'],
  ],
  'it is away twice': ['queue:away queue:ok queue:away queue:ok', ['away', 'back', 'away', 'back']],
  'a lock of one work': [
    'queue:locked queue:ok sweep:locked sweep:locked sweep:ok',
    ['queue', 'goes on', 'sweep', 'goes on'],
  ],
  'a lock, then away': ['sweep:locked sweep:away queue:away queue:ok sweep:ok', ['sweep', 'away', 'back', 'goes on']],
  'work on demand, alone': ['look:away look:away look:ok', ['look', 'goes on']],
  'work on demand that nobody asks for again': ['queue:away look:away queue:ok', ['away', 'back']],
  'work on demand that fails longer': ['queue:away look:away queue:ok look:away', ['away', 'back', 'look']],
};

const words: Readonly<Record<string, string>> = {
  'the database cannot be used: work waits': 'away',
  'the database can be used again': 'back',
  'work that failed goes on': 'goes on',
};

test.each(Object.entries(cases))('a line for each change: %s', (_, [said, lines]) => {
  const log: { readonly msg: string }[] = [];
  const troubles = createTroubles(pino({}, { write: (line: string) => void log.push(JSON.parse(line)) }));
  const works = {
    queue: troubles.of('queue'),
    sweep: troubles.of('sweep'),
    look: troubles.of('look', { onDemand: true }),
  };
  for (const [name = '', what] of said.split(' ').map((word) => word.split(':'))) {
    const work = works[name as keyof typeof works];
    if (what === 'ok') work.worked();
    else work.failed(what === 'away' ? away() : locked());
  }
  expect(log.map(({ msg }) => words[msg] ?? msg)).toEqual(lines);
});
