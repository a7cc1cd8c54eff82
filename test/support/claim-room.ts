/** Room for claims, of which any destination can have all. */
import type { ClaimQuota, Room } from '../../src/delivery/claim-quota.ts';

export const roomFor = (total: number, perDestination = total): Room => ({
  total,
  parts: { notQuick: total, slow: total },
  perDestination: new Map(),
  default: perDestination,
});

export const quotaFor = (total: number, bytes = 1e9, perDestination = total): ClaimQuota => ({
  ...roomFor(total, perDestination),
  standings: new Map(),
  bytes: roomFor(bytes),
  cursor: '',
});
