import type { Ports } from '../../src/ports.ts';
import { upstreamPosts } from '../../src/posts/upstream.ts';
import { upstreamOfBodies } from './upstream-of-bodies.ts';

/** Ports of which posts come as bytes. Nothing can be read from them. */
export const postsAsBytes = { posts: upstreamPosts(upstreamOfBodies(() => Buffer.alloc(0))) } as unknown as Ports;
