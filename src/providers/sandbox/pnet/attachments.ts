/** Attachments of pnet posts, one function per variant; each call creates a new object. */
import type { PnetAttachment } from '../../../capabilities/posts/shapes.ts';
import { hour, minute } from '../../../kernel/lib/time-units.ts';
import { mediaExpiry } from '../time.ts';

type SandboxAttachment<Type extends PnetAttachment['type']> = Extract<PnetAttachment, { type: Type }>;

const stored = (id: string, extension: string, mimetype: string, file_size: number) => ({
  id,
  unavailable: false,
  mimetype,
  file_size,
  url: `https://media.pnet.example/${id}.${extension}`,
  url_expires_at: mediaExpiry,
});

export const image = (id: string): SandboxAttachment<'img'> => ({
  type: 'img',
  ...stored(id, 'jpg', 'image/jpeg', 182_344),
  sticker: false,
  size: { width: 1200, height: 800 },
});

export const sticker = (id: string): SandboxAttachment<'img'> => ({
  type: 'img',
  ...stored(id, 'webp', 'image/webp', 9_120),
  sticker: true,
  size: { width: 240, height: 240 },
});

/** An image that the network has lost: only the fields that every attachment must have. */
export const lostImage = (id: string): SandboxAttachment<'img'> => ({
  type: 'img',
  id,
  unavailable: true,
  sticker: false,
  size: { width: 0, height: 0 },
});

/** Its size in bytes exceeds 32 bits. */
export const video = (id: string): SandboxAttachment<'video'> => ({
  type: 'video',
  ...stored(id, 'mp4', 'video/mp4', 5_368_709_120),
  gif: false,
  size: { width: 1920, height: 1080 },
});

export const gif = (id: string): SandboxAttachment<'video'> => ({
  type: 'video',
  ...stored(id, 'gif', 'image/gif', 1_204_551),
  gif: true,
  size: { width: 480, height: 270 },
});

/** Its duration is in seconds. */
export const voiceNote = (id: string): SandboxAttachment<'audio'> => ({
  type: 'audio',
  ...stored(id, 'm4a', 'audio/mp4', 96_200),
  voice_note: true,
  duration: 12.5,
});

export const recording = (id: string): SandboxAttachment<'audio'> => ({
  type: 'audio',
  ...stored(id, 'mp3', 'audio/mpeg', 4_310_020),
  voice_note: false,
});

export const file = (id: string): SandboxAttachment<'file'> => ({
  type: 'file',
  ...stored(id, 'pdf', 'application/pdf', 734_003),
  file_name: 'Notes – what we learned.pdf',
});

export const postReference = (id: string, url: string): SandboxAttachment<'pnet_post'> => ({
  type: 'pnet_post',
  id,
  unavailable: false,
  url,
});

/** 45 minutes long; `time_range` is in milliseconds, like the timestamps. */
export const meeting = (id: string, starts_at: number): SandboxAttachment<'video_meeting'> => ({
  type: 'video_meeting',
  id,
  unavailable: false,
  url: `https://meet.pnet.example/${id}`,
  starts_at,
  expires_at: starts_at + 2 * hour,
  time_range: 45 * minute,
});
