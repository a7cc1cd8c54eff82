/** The GraphQL side of posts: a file for each network, over the list that they share. */
import './pnet.ts';
import './photonet.ts';
import './queries.ts';
