export const endpoint = '/graphql';

/** Subprotocol of its WebSocket. */
export const socketProtocol = 'graphql-transport-ws';
