/** An adapter: lists the notes of a microblog, in the shape of posts of photonet. */
import { type ErrorName, type PhotonetPost, type PostProvider, ServiceError } from 'postern';

/** As the network sends it. */
interface Note {
  readonly id: string;
  readonly text: string;
  readonly time: number;
  readonly likes: number;
  readonly replies: number;
  readonly author: { readonly id: string; readonly name: string; readonly picture: string };
}

const errorsOf: Readonly<Record<number, ErrorName>> = { 401: 'invalid_credentials', 404: 'invalid_recipient' };

export const microblog = (address: string): PostProvider => ({
  async listPosts({ token }, { identifier, cursor, limit }, signal) {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { after: cursor }) });
    const url = `${address}/users/${encodeURIComponent(identifier)}/notes?${query}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal });
    if (!response.ok) {
      const name = errorsOf[response.status] ?? 'provider_error';
      throw new ServiceError(name, { detail: `The microblog responds with ${response.status}.` });
    }
    const { notes, next } = (await response.json()) as { notes: Note[]; next: string | null };
    return { items: notes.map(postOf), cursor: next };
  },
});

const postOf = ({ id, text, time, likes, replies, author }: Note): PhotonetPost => ({
  object: 'Post',
  provider: 'PHOTONET',
  provider_id: id,
  has_audio: false,
  has_liked: false,
  like_and_view_counts_disabled: false,
  comments_disabled: false,
  like_count: likes,
  comment_count: replies,
  accessibility_caption: text,
  caption: { edited: false, has_translation: false, created_at: time, text },
  preview_image: { url: author.picture, width: 400, height: 400 },
  owner: {
    id: author.id,
    username: author.name,
    profile_pic_url: author.picture,
    is_verified: false,
    is_private: false,
  },
  location: { name: '', lat: 0, lng: 0 },
});
