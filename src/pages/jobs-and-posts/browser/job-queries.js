/** The operations of the job postings. A test holds them against the schema. */

const pay = 'min max currency payFrequency';
const checkpoint = 'checkpointType attemptsLeft expiresAt';
const posting = `id jobId accountId state updatedAt
  jobTitle { text }
  company { text }
  workplace employmentStatus location description companyJobId trackingPixelUrl
  salary { ${pay} }
  additionalCompensation { ${pay} }
  applyMethod { url notificationEmail isResumeRequired }
  autoRejectionTemplate hasRejectionNotification
  autoArchiveApplicants { hasFailedScreening isOutsideOfCountry }
  screeningQuestions { question position choices expectedChoices minExpectation maxExpectation mustMatch }
  checkpoint { ${checkpoint} }`;

export const list = /* GraphQL */ `
  query JobsOfPage($accountId: ID, $states: [PnetJobState!], $query: String, $after: String) {
    jobPostings(
      accountId: $accountId
      states: $states
      query: $query
      first: 30
      after: $after
      orderBy: CREATED_AT_DESC
    ) {
      edges { node { ${posting} } }
      pageInfo { hasNextPage endCursor }
      totalCount
    }
  }
`;

export const one = /* GraphQL */ `
  query JobOfPage($jobId: ID!) { jobPosting(jobId: $jobId) { ${posting} } }
`;

export const changes = /* GraphQL */ `
  subscription ChangesOfJobs($jobIds: [ID!]!) { jobPostingUpdated(jobIds: $jobIds) { ${posting} } }
`;

const failure = `... on ServiceError { code message }
  ... on InvalidRequestError { issues { path code limit message } }`;

export const edit = /* GraphQL */ `
  mutation EditOfPage($input: EditJobInput!) {
    editJob(input: $input) {
      __typename
      ... on PnetJobPostingEdited { jobPosting { ${posting} } }
      ${failure}
    }
  }
`;

export const create = /* GraphQL */ `
  mutation CreateOfPage($input: CreateJobDraftInput!) {
    createJobDraft(input: $input) {
      __typename
      ... on PnetJobPostingCreated { jobPosting { ${posting} } }
      ${failure}
    }
  }
`;

const published = `... on PnetJobPostingPublished { state jobPosting { ${posting} } }`;
const asked = `${checkpoint} jobPosting { ${posting} }`;

export const publish = /* GraphQL */ `
  mutation PublishOfPage($input: PublishJobInput!) {
    publishJob(input: $input) {
      __typename
      ${published}
      ... on PnetJobPostingPublishCheckpoint { ${asked} }
      ${failure}
    }
  }
`;

export const solve = /* GraphQL */ `
  mutation SolveOfPage($input: SolveJobCheckpointInput!) {
    solveJobCheckpoint(input: $input) {
      __typename
      ${published}
      ... on PnetJobPostingPublishCheckpoint { ${asked} }
      ... on CheckpointError { issues { path code limit message } checkpoint { ${asked} } }
      ${failure}
    }
  }
`;
