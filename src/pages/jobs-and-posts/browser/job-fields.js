/** The fields of a job posting, of a new draft, and of a publication. */
import { accountField } from './accounts.js';
import { words } from './format.js';

const open = 'Not set';
const choices = (...names) => Object.fromEntries(names.map((name) => [name, words(name)]));

const currency = {
  label: 'Currency',
  attributes: { maxlength: 3, size: 5, spellcheck: 'false' },
  words: { NOT_ALLOWED: 'Enter the code of a currency, such as EUR.' },
};
const address = {
  attributes: { inputmode: 'url', placeholder: 'https://' },
  words: { MALFORMED: 'Enter a whole address, such as https://company.example/jobs.' },
};
const amount = { type: 'number', words: { REQUIRED: 'Enter a number.', MALFORMED: 'Enter a number.' } };

const pay = (path) => [
  { ...amount, path: `${path}.min`, label: 'From' },
  {
    ...amount,
    path: `${path}.max`,
    label: 'To',
    words: { ...amount.words, CONFLICTING: 'Enter at least what the pay begins with.' },
  },
  { ...currency, path: `${path}.currency` },
  {
    path: `${path}.payFrequency`,
    label: 'Paid',
    type: 'choice',
    options: { '': open, ...choices('YEARLY', 'MONTHLY', 'HOURLY') },
    words: { REQUIRED: 'Choose one.' },
  },
];

const what = [
  { path: 'jobTitle.text', label: 'Title' },
  { path: 'company.text', label: 'Company' },
  {
    path: 'workplace',
    label: 'Workplace',
    type: 'choice',
    options: { '': open, ...choices('ON_SITE', 'HYBRID', 'REMOTE') },
  },
  {
    path: 'employmentStatus',
    label: 'Employment',
    type: 'choice',
    options: {
      '': open,
      ...choices('FULL_TIME', 'PART_TIME', 'CONTRACT', 'TEMPORARY', 'INTERNSHIP', 'VOLUNTEER', 'OTHER'),
    },
  },
];

/** A short form: the rest can be entered once the draft is there. */
export const draftFields = (accounts) => [{ fields: [accountField(accounts), ...what] }];

const question = { path: 'question', label: 'Question', type: 'area', attributes: { rows: 2 } };
const mustMatch = { path: 'mustMatch', label: 'An expected answer is required', type: 'box' };

/** Questions to applicants. Their places are those of the list. */
const screening = {
  title: 'Questions to applicants',
  list: 'screeningQuestions',
  none: 'Applicants are asked nothing.',
  place: 'position',
  read: ({ screeningQuestions: given }) => (given ?? []).toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0)),
  kindOf: ({ choices: offered }) => (offered === null ? 'numeric' : 'multipleChoices'),
  kinds: {
    numeric: {
      title: (place) => `Question ${place}: a number`,
      add: 'Add a question for a number',
      fields: [
        question,
        { ...amount, path: 'minExpectation', label: 'Lowest expected number' },
        {
          ...amount,
          path: 'maxExpectation',
          label: 'Highest expected number',
          words: { ...amount.words, CONFLICTING: 'Enter at least the lowest expected number.' },
        },
        mustMatch,
      ],
    },
    multipleChoices: {
      title: (place) => `Question ${place}: choices`,
      add: 'Add a question with choices',
      fields: [
        question,
        { path: 'choices', label: 'Choices', type: 'lines', help: 'One a line.' },
        {
          path: 'expectedChoices',
          label: 'Expected choices',
          type: 'lines',
          help: 'Those of the choices that you expect, one a line.',
          words: { CONFLICTING: 'Enter only what is among the choices, in the same words.' },
        },
        mustMatch,
      ],
    },
  },
};

const isApply = (kind) => (values) => values['$applyMethod.kind'] === kind;

export const postingFields = [
  {
    fields: [
      ...what,
      {
        path: 'location',
        label: 'Place',
        help: 'The number that the network has for it.',
        attributes: { inputmode: 'numeric' },
        words: { MALFORMED: 'Enter the number of a place: digits only.' },
      },
      { path: 'companyJobId', label: 'Your own id' },
      { path: 'description', label: 'Description', type: 'area' },
    ],
  },
  { title: 'Salary', fields: pay('salary') },
  { title: 'Further pay', fields: pay('additionalCompensation') },
  {
    title: 'How to apply',
    fields: [
      {
        path: '$applyMethod.kind',
        label: 'Applications',
        type: 'choice',
        options: { '': open, pnet: 'On the network', external: 'On a website' },
        read: ({ applyMethod }) => applyMethod && (applyMethod.url === null ? 'pnet' : 'external'),
      },
      {
        path: 'applyMethod.pnet.notificationEmail',
        label: 'E-mail address that is told',
        read: ({ applyMethod }) => applyMethod?.notificationEmail,
        when: isApply('pnet'),
        attributes: { inputmode: 'email' },
        words: { MALFORMED: 'Enter an e-mail address, such as jobs@company.example.' },
      },
      {
        path: 'applyMethod.pnet.isResumeRequired',
        label: 'A résumé is required',
        type: 'box',
        read: ({ applyMethod }) => applyMethod?.isResumeRequired,
        when: isApply('pnet'),
      },
      {
        ...address,
        path: 'applyMethod.external.url',
        label: 'Address of the website',
        read: ({ applyMethod }) => applyMethod?.url,
        when: isApply('external'),
      },
      { ...address, path: 'trackingPixelUrl', label: 'Tracking pixel' },
    ],
  },
  screening,
  {
    title: 'Applicants who do not fit',
    fields: [
      {
        path: 'autoArchiveApplicants.hasFailedScreening',
        label: 'Archive who fails a required question',
        type: 'box',
      },
      { path: 'autoArchiveApplicants.isOutsideOfCountry', label: 'Archive who is in another country', type: 'box' },
      { path: 'hasRejectionNotification', label: 'Tell who is rejected', type: 'box' },
      { path: 'autoRejectionTemplate', label: 'Text of the rejection', type: 'area', attributes: { rows: 3 } },
    ],
  },
];

const isPaid = (values) => values.mode !== 'FREE';
const budget = (period) => {
  const when = (values) => isPaid(values) && values['$budget.period'] === period;
  return [
    {
      ...amount,
      path: `budget.${period}.amount`,
      label: 'Amount',
      when,
      words: { ...amount.words, TOO_SMALL: 'Enter an amount above 0.' },
    },
    { ...currency, path: `budget.${period}.currency`, label: 'Currency', when },
  ];
};

export const publicationFields = [
  {
    fields: [
      {
        path: 'mode',
        label: 'Listing',
        type: 'choice',
        options: { FREE: 'Free', PROMOTED: 'Promoted, paid', PROMOTED_PLUS: 'Promoted plus, paid, with a wider reach' },
        words: { CONFLICTING: 'This draft cannot be published in this way.' },
      },
      {
        path: 'service',
        label: 'Service',
        type: 'choice',
        options: { CLASSIC: 'Classic', RECRUITER: 'Recruiter' },
        words: { NOT_ALLOWED: 'Promoted plus is offered for Classic only.' },
      },
      {
        path: '$budget.period',
        label: 'Budget',
        type: 'choice',
        options: { none: 'None', daily: 'A day', monthly: 'A month' },
        when: isPaid,
      },
      ...budget('daily'),
      ...budget('monthly'),
      { path: 'bypassesEmailVerification', label: 'Skip the verification by e-mail', type: 'box' },
      { path: 'hasHiringPhotoFrame', label: 'Show the frame “hiring” around my photo', type: 'box' },
    ],
  },
];

/** What a checkpoint asks for. */
const solutions = {
  OTP: {
    label: 'Code that the network sent you',
    attributes: { inputmode: 'numeric', autocomplete: 'one-time-code' },
    words: { MALFORMED: 'The code has 4 to 8 digits.', INCORRECT: 'This is not the code, or it has expired.' },
  },
  EMAIL_VERIFICATION: {
    label: 'Token of the link that the network sent you by e-mail',
    words: { INCORRECT: 'This is not the token of the link, or it has expired.' },
  },
};

export const solutionFields = (checkpointType) => [
  { fields: [{ label: 'What the network asks for', ...solutions[checkpointType], path: 'solution' }] },
];
