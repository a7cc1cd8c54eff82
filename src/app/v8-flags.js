import { setFlagsFromString } from 'node:v8';

// Pretenuring: V8 allocates in the old generation at sites whose objects have survived. Under load these are the sites of requests in
// flight, and a dead object there keeps its whole request until a major collection: 20 KB of each nested list.
setFlagsFromString('--no-allocation-site-pretenuring');
