/** A file for each network, and the list that they share. */
import './pnet.ts';
import './photonet.ts';
import './queries.ts';
import './nodes.ts';
