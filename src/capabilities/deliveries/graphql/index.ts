/** Deliveries in GraphQL: reading, watching, sending and resending. */
import './delivery.ts';
import './list.ts';
import './statistics.ts';
import './mutations.ts';
