/** Deliveries in GraphQL: reading, watching, sending and resending. */
import './delivery.ts';
import './mutations.ts';
