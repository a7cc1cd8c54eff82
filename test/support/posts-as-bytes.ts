import { upstreamPosts } from '../../src/capabilities/posts/upstream.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { upstreamOfBodies } from './upstream-of-bodies.ts';

/** Ports of which posts come as bytes. Nothing can be read from them. */
export const postsAsBytes = { posts: upstreamPosts(upstreamOfBodies(() => Buffer.alloc(0))) } as unknown as Ports;
