const image = (n: number) => ({ url: `https://media.example/photos/${n}.jpg`, width: 1_080, height: 1_350 });

/** Photos and videos with captions, most of them at some place. */
const photonetPost = (n: number) => ({
  object: 'Post',
  provider: 'PHOTONET',
  provider_id: `3${String(n).padStart(18, '0')}_9`,
  has_audio: n % 3 === 0,
  has_liked: n % 5 === 0,
  like_and_view_counts_disabled: false,
  comments_disabled: n % 9 === 0,
  like_count: n * 113,
  comment_count: n % 60,
  accessibility_caption: 'Photo of a harbour in the morning, with three boats and a crane in the background.',
  ...(n % 8 === 0
    ? {}
    : {
        caption: {
          edited: n % 6 === 0,
          has_translation: true,
          created_at: 1_790_000_000_000 - n * 3_600_000,
          text: 'The light was gone after ten minutes.\nWe stayed for the boats. '.repeat(1 + (n % 4)),
        },
      }),
  ...(n % 3 === 0 ? { video: { url: `https://media.example/videos/${n}.mp4`, width: 720, height: 1_280 } } : {}),
  preview_image: image(n),
  owner: {
    id: `58${n % 5}`,
    username: `harbour.light.${n % 5}`,
    profile_pic_url: `https://media.example/pictures/${n % 5}.jpg`,
    is_verified: n % 5 === 1,
    is_private: false,
  },
  location: {
    name: 'Old harbour',
    lat: Number((53.543 + n / 1_000).toFixed(6)),
    lng: Number((9.966 - n / 1_000).toFixed(6)),
  },
});

export const photonetPosts = (count: number) => Array.from({ length: count }, (_, n) => photonetPost(n));
