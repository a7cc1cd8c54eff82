/** What a post has beside its words. */
import { h } from './elements.js';
import { at, fileSize, seconds } from './format.js';
import { linked } from './links.js';

/** Its size keeps its place while it is loaded; one that cannot be loaded says so. */
export function picture({ url, width, height, isSticker }, alt) {
  const image = h(`img.picture${isSticker ? '.sticker' : ''}`, {
    src: url,
    alt: alt || 'A picture without a description',
    width: width || null,
    height: height || null,
    loading: 'lazy',
    onerror: () => image.replaceWith(gone('This picture cannot be shown.')),
  });
  return image;
}

const gone = (text) => h('p.attachment.quiet', {}, text);

const names = {
  IMG: () => 'Picture',
  VIDEO: ({ isGif }) => (isGif ? 'Moving picture' : 'Video'),
  AUDIO: ({ isVoiceNote }) => (isVoiceNote ? 'Voice note' : 'Recording'),
  FILE: ({ fileName }) => fileName ?? 'File',
  PNET_POST: () => 'Another post',
  VIDEO_MEETING: () => 'Video meeting',
};

/** One that is no picture, or a picture that is gone. */
export function attachment(given) {
  const { type, url, isUnavailable, duration, fileSize: bytes, startsAt, isSilent } = given;
  const name = names[type]?.(given) ?? 'Attachment';
  if (isUnavailable) return gone(`${name}: no longer available`);
  const facts = [
    duration && seconds(duration),
    bytes && fileSize(bytes),
    startsAt && `begins ${at(startsAt)}`,
    isSilent && 'without sound',
  ].filter(Boolean);
  return h(
    'p.attachment',
    {},
    h('span', {}, name, facts.length === 0 ? '' : h('small', {}, ` ${facts.join(', ')}`)),
    linked(url, 'Open', name),
  );
}
