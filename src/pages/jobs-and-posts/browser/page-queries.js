/** The operations of the page, but for those of the job postings. A test holds them against the schema. */

export const viewer = /* GraphQL */ `
  query ViewerOfPage { viewer { scopes accountIds } }
`;

/** Those that have posts. */
export const accounts = /* GraphQL */ `
  query AccountsOfPage {
    accounts(first: 250, types: [PNET, PHOTONET]) { nodes { accountId name type status } }
  }
`;

export const posts = /* GraphQL */ `
  query PostsOfPage($accountId: ID!, $identifier: String!, $isCompany: Boolean, $after: String) {
    posts(accountId: $accountId, identifier: $identifier, isCompany: $isCompany, first: 20, after: $after) {
      edges {
        node {
          ... on NetworkPost {
            __typename
            id
            text
            reactionCount
            commentCount
            hasReacted
          }
          ... on PnetPost {
            author { name profilePictureUrl headline }
            title
            url
            publishedAt
            repostCount
            impressionCount
            mentions { start length url }
            attachments {
              type url mimetype fileName fileSize width height duration startsAt isUnavailable isGif isSticker isVoiceNote
            }
            poll { question isOpen voteCount options { text voteCount isWinner } }
            isRepost
            repostedBy { name }
            repostContent { text publishedAt author { name profilePictureUrl headline } }
            group { name isPrivate }
            writtenBy { name }
            analytics { impressionCount reachedMemberCount clickCount engagementRate gainedFollowerCount }
          }
          ... on PhotonetPost {
            author { name profilePictureUrl username isVerified }
            accessibilityCaption
            caption { createdAt isEdited }
            previewImage { url width height }
            video { url }
            hasAudio
            location { name }
            hasCommentsDisabled
            hasLikeAndViewCountsDisabled
          }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
