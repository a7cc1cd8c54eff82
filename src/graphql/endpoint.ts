export const endpoint = '/graphql';

/** Of its WebSocket. */
export const socketProtocol = 'graphql-transport-ws';
