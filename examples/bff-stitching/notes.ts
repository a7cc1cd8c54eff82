/** What this server adds to the graph: notes on accounts, which it keeps itself. */
import { createSchema } from 'graphql-yoga';
import type { Context } from './server.ts';

interface Note {
  readonly by: string;
  readonly text: string;
  readonly account: { readonly id: string };
}
const notes: Note[] = [];

export const schema = createSchema<Context>({
  typeDefs: /* GraphQL */ `
    type Query {
      "The notes of the visitor."
      notes: [Note!]!
    }
    type Mutation {
      "Adds a note on an account, by its global id."
      addNote(on: ID!, text: String!): Note!
    }
    type Note {
      text: String!
      account: Account
    }
    type Account {
      id: ID!
    }
  `,
  resolvers: {
    Query: { notes: (_, _args, { visitor }) => notes.filter(({ by }) => by === visitor.name) },
    Mutation: {
      addNote(_, { on, text }: { on: string; text: string }, { visitor }) {
        const note = { by: visitor.name, text, account: { id: on } };
        notes.push(note);
        return note;
      },
    },
  },
});
