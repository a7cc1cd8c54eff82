/** The attachments of pnet posts, one function for each variant. Each call creates a new object. */
import type { PnetAttachment } from '../../../capabilities/posts/shapes.ts';
import { hour, mediaExpiry, minute } from '../time.ts';

type Variant<Type extends PnetAttachment['type']> = Extract<PnetAttachment, { type: Type }>;

const stored = (id: string, extension: string, mimetype: string, file_size: number) => ({
  id,
  unavailable: false,
  mimetype,
  file_size,
  url: `https://media.pnet.example/${id}.${extension}`,
  url_expires_at: mediaExpiry,
});

/** A photo in landscape format. */
export const image = (id: string): Variant<'img'> => ({
  type: 'img',
  ...stored(id, 'jpg', 'image/jpeg', 182_344),
  sticker: false,
  size: { width: 1200, height: 800 },
});

/** A sticker, small and square. */
export const sticker = (id: string): Variant<'img'> => ({
  type: 'img',
  ...stored(id, 'webp', 'image/webp', 9_120),
  sticker: true,
  size: { width: 240, height: 240 },
});

/** An image that the network no longer has: only the fields that every attachment must have. */
export const lostImage = (id: string): Variant<'img'> => ({
  type: 'img',
  id,
  unavailable: true,
  sticker: false,
  size: { width: 0, height: 0 },
});

/** A video whose size in bytes does not fit into 32 bits. */
export const video = (id: string): Variant<'video'> => ({
  type: 'video',
  ...stored(id, 'mp4', 'video/mp4', 5_368_709_120),
  gif: false,
  size: { width: 1920, height: 1080 },
});

/** A moving picture without sound. */
export const gif = (id: string): Variant<'video'> => ({
  type: 'video',
  ...stored(id, 'gif', 'image/gif', 1_204_551),
  gif: true,
  size: { width: 480, height: 270 },
});

/** A voice note; its duration is in seconds. */
export const voiceNote = (id: string): Variant<'audio'> => ({
  type: 'audio',
  ...stored(id, 'm4a', 'audio/mp4', 96_200),
  voice_note: true,
  duration: 12.5,
});

/** A recording of unknown duration. */
export const recording = (id: string): Variant<'audio'> => ({
  type: 'audio',
  ...stored(id, 'mp3', 'audio/mpeg', 4_310_020),
  voice_note: false,
});

/** A document. */
export const file = (id: string): Variant<'file'> => ({
  type: 'file',
  ...stored(id, 'pdf', 'application/pdf', 734_003),
  file_name: 'Notes – what we learned.pdf',
});

/** A reference to another post. */
export const postReference = (id: string, url: string): Variant<'pnet_post'> => ({
  type: 'pnet_post',
  id,
  unavailable: false,
  url,
});

/** An invitation to a video meeting of 45 minutes; `time_range` is in milliseconds, like the timestamps. */
export const meeting = (id: string, starts_at: number): Variant<'video_meeting'> => ({
  type: 'video_meeting',
  id,
  unavailable: false,
  url: `https://meet.pnet.example/${id}`,
  starts_at,
  expires_at: starts_at + 2 * hour,
  time_range: 45 * minute,
});
