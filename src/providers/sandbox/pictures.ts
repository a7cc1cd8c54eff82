/**
 * Pictures of the sandbox networks, generated from their names: so that a page that shows posts shows pictures, without
 * internet access and without anybody's files.
 */
import type { PhotonetPost, PnetPost, Post } from '../../capabilities/posts/shapes.ts';
import type { PostProvider, Providers } from '../provider.ts';
import type { SandboxNetworks } from './networks.ts';
import { seededHash } from './seeded-random.ts';

export const picturesPath = '/sandbox/pictures';

const sizes = { landscape: [1200, 800], portrait: [1080, 1350], square: [240, 240] } as const;

type Shape = keyof typeof sizes;

/**
 * The networks with addresses of pictures that lead to this gateway.
 * @param gateway its address, as those who look at the pictures reach it; null to leave the addresses of the networks
 */
export function withPictures(
  networks: Providers & SandboxNetworks,
  gateway: string | null,
): Providers & SandboxNetworks {
  if (gateway === null) return networks;
  const pictured = <Provider extends PostProvider>(provider: Provider): Provider => ({
    ...provider,
    async listPosts(...query: Parameters<PostProvider['listPosts']>) {
      const page = await provider.listPosts(...query);
      for (const post of page.items) addPictures(post, (shape, address) => pictureAddress(gateway, shape, address));
      return page;
    },
  });
  return { ...networks, PNET: pictured(networks.PNET), PHOTONET: pictured(networks.PHOTONET) };
}

/** The last part of an address names the picture; one that is ours already stays. */
function pictureAddress(gateway: string, shape: Shape, address: string): string {
  if (address.startsWith(gateway)) return address;
  const [, name = ''] = /(?<![\w-])([\w-]+)\.\w+$/.exec(address) ?? [];
  return `${gateway}${picturesPath}/${shape}-${name}.svg`;
}

type PictureAddress = (shape: Shape, address: string) => string;

function addPictures(post: Post, place: PictureAddress): void {
  if (post.provider === 'PNET') addPnetPictures(post, place);
  else if (post.provider === 'PHOTONET') addPhotonetPictures(post, place);
}

function addPhotonetPictures(post: PhotonetPost, place: PictureAddress): void {
  if (post.preview_image?.url) post.preview_image.url = place('portrait', post.preview_image.url);
  if (post.owner.profile_pic_url) post.owner.profile_pic_url = place('square', post.owner.profile_pic_url);
}

function addPnetPictures(post: PnetPost, place: PictureAddress): void {
  // An odd post may lack its author.
  const author: PnetPost['author'] | undefined = post.author;
  for (const person of [author, post.reposted_by, post.repost_content?.author]) {
    if (person?.profile_picture_url) person.profile_picture_url = place('square', person.profile_picture_url);
  }
  for (const attachment of post.attachments ?? []) {
    if (attachment.type !== 'img' || !attachment.url) continue;
    attachment.url = place(attachment.sticker ? 'square' : 'landscape', attachment.url);
    attachment.mimetype = 'image/svg+xml';
  }
}

/** Names come from anybody: one chooses colours and places, and is not written into the picture. */
function draw(shape: Shape, name: string): string {
  const [width, height] = sizes[shape];
  const seed = [...name].reduce((hash, character) => seededHash(hash, character.charCodeAt(0)), 7);
  const hue = seed % 360;
  const circles = [1, 2, 3, 4, 5].map((serial) => {
    const at = seededHash(seed, serial);
    const [x, y] = [at % width, Math.floor(at / 7) % height];
    const radius = Math.round((width / 8) * (1 + (at % 3)));
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="hsl(${(hue + serial * 24) % 360} 70% 60%)" fill-opacity=".5"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" fill="hsl(${hue} 55% 45%)"/>`,
    ...circles,
    '</svg>',
  ].join('');
}

const isShape = (text: string): text is Shape => Object.hasOwn(sizes, text);

/** @param file the last part of an address @returns the SVG; null where there is no such picture */
export function pictureOf(file: string): string | null {
  const [, shape = '', name = ''] = /^([a-z]+)-([\w-]{1,80})\.svg$/.exec(file) ?? [];
  return isShape(shape) ? draw(shape, name) : null;
}
