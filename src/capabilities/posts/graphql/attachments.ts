import { partType } from '../../../graphql/kit/builder.ts';
import { contractEnum } from '../../../graphql/kit/enums.ts';
import { optional, required } from '../../../graphql/kit/network-values.ts';
import { readAt } from '../../../graphql/kit/wire.ts';
import type { AnyOf } from '../../../kernel/lib/objects.ts';
import type { PnetAttachment } from '../shapes.ts';

const AttachmentTypeEnum = contractEnum(
  'PnetAttachmentType',
  'What an attachment is.',
  {
    img: 'An image.',
    video: 'A video.',
    audio: 'An audio recording.',
    file: 'A file of any type.',
    pnet_post: 'Another post.',
    video_meeting: 'An invitation to a video meeting.',
  } satisfies Record<PnetAttachment['type'], string>,
  { read: true },
);

const dimension = (key: 'width' | 'height', description: string) =>
  readAt<number>({ exposed: key, within: 'size' }, optional(description));

/** A field that some types lack is null there, so that it is required of none. */
export const AttachmentObject = partType<AnyOf<PnetAttachment>>('PnetPostAttachment', {
  description: 'An attachment of a pnet post.',
  fields: (t) => ({
    type: t.expose('type', { type: AttachmentTypeEnum, ...required('What it is.') }),
    providerId: t.exposeID('id', required('Id on pnet.')),
    isUnavailable: t.exposeBoolean('unavailable', required('Whether it is no longer available.')),
    mimetype: t.exposeString('mimetype', optional('Media type, such as `image/jpeg`.')),
    fileName: t.exposeString('file_name', optional('Name of the file. Null but for files.')),
    fileSize: t.exposeFloat('file_size', optional("Size, in the network's unit.")),
    url: t.exposeString('url', optional('URL.')),
    urlExpiresAt: t.expose('url_expires_at', { type: 'DateTime', ...optional('When the URL expires.') }),
    width: t.float(dimension('width', "Width, in the network's unit. Null but for images and videos.")),
    height: t.float(dimension('height', "Height, in the network's unit. Null but for images and videos.")),
    isSticker: t.exposeBoolean('sticker', optional('Whether it is a sticker. Null but for images.')),
    isGif: t.exposeBoolean('gif', optional('Whether it is an animated GIF. Null but for videos.')),
    isVoiceNote: t.exposeBoolean('voice_note', optional('Whether it is a voice note. Null but for audio.')),
    duration: t.exposeFloat('duration', optional("Duration, in the network's unit. Null but for audio.")),
    startsAt: t.expose('starts_at', {
      type: 'DateTime',
      ...optional('When the meeting starts. Null but for meetings.'),
    }),
    expiresAt: t.expose('expires_at', {
      type: 'DateTime',
      ...optional('When the invitation expires. Null but for meetings.'),
    }),
    timeRange: t.exposeFloat('time_range', optional("Time range, in the network's unit. Null but for meetings.")),
  }),
});
