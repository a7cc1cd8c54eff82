/** The GraphQL side of deliveries: reading and watching them, and what is sent. */
import './delivery.ts';
import './mutations.ts';
