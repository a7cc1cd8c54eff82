/** Asks the probe in a gateway (see probe.ts). */
import type { ChildProcess } from 'node:child_process';
import type { HeapProfiler } from 'node:inspector';
import { join } from 'node:path';
import { messageOf } from './children.ts';

const probeFile = join(import.meta.dirname, 'probe.ts');

/** Flags of Node.js that load it. */
export const probeFlags: readonly string[] = ['--import', probeFile];

export const isProbed = ({ spawnargs }: ChildProcess): boolean => spawnargs.includes(probeFile);

export interface Usage {
  /** CPU time of all threads in microseconds. */
  readonly user: number;
  readonly system: number;
  /** Major garbage collections. */
  readonly collections: number;
}

export type AllocatedNode = Pick<HeapProfiler.SamplingHeapProfileNode, 'callFrame' | 'selfSize' | 'children'>;

/** What is asked, and what the answer is. */
export interface Answers {
  readonly usage: Usage;
  /** After a full collection, if the process lets one be asked for. */
  readonly memory: NodeJS.MemoryUsage;
  readonly sample: true;
  /** What has been allocated since, by stack. */
  readonly sampled: AllocatedNode;
  readonly watch: true;
  /** What scavenges have made old since the watch began. */
  readonly promoted: { readonly scavenges: number; readonly bytes: number };
}

export type Question = keyof Answers;

export async function ask<Asked extends Question>(gateway: ChildProcess, question: Asked): Promise<Answers[Asked]> {
  const answer = messageOf(gateway);
  gateway.send(question);
  return (await answer) as Answers[Asked];
}

/** In all, in bytes. */
export const allocatedIn = ({ selfSize, children }: AllocatedNode): number =>
  children.reduce((sum, child) => sum + allocatedIn(child), selfSize);
