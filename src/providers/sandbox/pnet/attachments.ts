import type { PnetAttachment } from '../../../capabilities/posts/shapes.ts';
import gallery from './gallery.json' with { type: 'json' };

export type AttachmentName = keyof typeof gallery.attachments;

/** A variant of attachments of pnet posts. */
export const attachment = (name: AttachmentName, id: string): PnetAttachment =>
  filled(gallery.attachments[name], '{id}', id);

/** A copy: posts belong to who asks for them. */
export const filled = (data: object, slot: string, value: string) =>
  JSON.parse(JSON.stringify(data).replaceAll(slot, value));
