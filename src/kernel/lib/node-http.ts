/**
 * node:http, for its values. An `import` of them reads every export of it, one of which is the WebSocket of the undici that
 * Node.js brings along: 70 ms and 15 MiB of a start for what nobody uses.
 */
export const http = process.getBuiltinModule('node:http');
