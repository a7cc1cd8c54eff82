/** The GraphQL types of posts: a file for each network, and the list that the networks share. */
import './pnet.ts';
import './photonet.ts';
import './queries.ts';
import './account-posts.ts';
import './nodes.ts';
