/** The fields of a job posting, of a new draft, and of a publication. */
import { accountField } from './accounts.js';
import { linesIn, numberIn } from './form-field.js';
import { words } from './format.js';

const open = 'Not set';
const choices = (...names) => Object.fromEntries(names.map((name) => [name, words(name)]));

const wordsFor = (text, ...codes) => Object.fromEntries(codes.map((code) => [code, text]));

const currencyWords = 'Enter the code of a currency, such as EUR.';
const currency = {
  label: 'Currency',
  attributes: { maxlength: 3, size: 5, spellcheck: 'false' },
  pattern: /^[A-Z]{3}$/,
  words: wordsFor(currencyWords, 'REQUIRED', 'MALFORMED', 'NOT_ALLOWED'),
};
const address = {
  pattern: /^https?:\/\/[^\s/]/i,
  attributes: { inputmode: 'url', placeholder: 'https://' },
  words: wordsFor('Enter a whole address, such as https://company.example/jobs.', 'REQUIRED', 'MALFORMED'),
};
const amount = {
  type: 'number',
  words: { REQUIRED: 'Enter a number.', MALFORMED: 'Enter a number, such as 60000 or 60,000.50.' },
};

/** Whether a number is below another that is entered. */
const isBelow = (value, other) => other !== '' && numberIn(value) < numberIn(other);
const isNegative = (value) => (numberIn(value) < 0 ? { code: 'TOO_SMALL', limit: 0 } : null);

/** They are one object: all of them, or none. */
const payNames = ['min', 'max', 'currency', 'payFrequency'];
const isBegun = (sibling) => payNames.some((name) => sibling(name) !== '');
const payOf = (path) => [
  { ...amount, path: `${path}.min`, label: 'From', check: isNegative },
  {
    ...amount,
    path: `${path}.max`,
    label: 'To',
    check: (value, sibling) => isNegative(value) ?? (isBelow(value, sibling('min')) ? { code: 'CONFLICTING' } : null),
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
const pay = (path) => payOf(path).map((field) => ({ ...field, required: isBegun, stays: true }));
const payHelp = 'Enter all four, or none.';

const what = [
  {
    path: 'jobTitle.text',
    label: 'Title',
    required: true,
    words: wordsFor('Enter a title.', 'REQUIRED', 'TOO_SHORT'),
  },
  { path: 'company.text', label: 'Company', stays: true, words: wordsFor('Enter a company.', 'REQUIRED', 'TOO_SHORT') },
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

const question = {
  path: 'question',
  label: 'Question',
  type: 'area',
  required: true,
  attributes: { rows: 2 },
  words: wordsFor('Enter a question.', 'REQUIRED', 'TOO_SHORT'),
};
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
          check: (value, sibling) => (isBelow(value, sibling('minExpectation')) ? { code: 'CONFLICTING' } : null),
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
        {
          path: 'choices',
          label: 'Choices',
          type: 'lines',
          required: true,
          help: 'One a line.',
          words: wordsFor('Enter a choice.', 'REQUIRED', 'TOO_FEW', 'TOO_SHORT'),
        },
        {
          path: 'expectedChoices',
          label: 'Expected choices',
          type: 'lines',
          help: 'Those of the choices that you expect, one a line.',
          check: (value, sibling) => {
            const offered = new Set(linesIn(sibling('choices')));
            return offered.size === 0 || linesIn(value).every((line) => offered.has(line))
              ? null
              : { code: 'CONFLICTING' };
          },
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
        pattern: /^\d+$/,
        stays: true,
        words: wordsFor('Enter the number of a place: digits only.', 'REQUIRED', 'MALFORMED'),
      },
      { path: 'companyJobId', label: 'Your own id' },
      { path: 'description', label: 'Description', type: 'area' },
    ],
  },
  { title: 'Salary', help: payHelp, fields: pay('salary') },
  { title: 'Further pay', help: payHelp, fields: pay('additionalCompensation') },
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
        required: true,
        pattern: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/,
        attributes: { inputmode: 'email' },
        words: wordsFor('Enter an e-mail address, such as jobs@company.example.', 'REQUIRED', 'MALFORMED'),
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
        required: true,
        read: ({ applyMethod }) => applyMethod?.url,
        when: isApply('external'),
      },
      { ...address, path: 'trackingPixelUrl', label: 'Tracking pixel', stays: true },
    ],
  },
  screening,
  {
    title: 'Applicants who do not fit',
    help: 'The network does all three by default: untick what you do not want.',
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
      required: true,
      check: (value) => (numberIn(value) > 0 ? null : { code: 'TOO_SMALL' }),
      words: { ...amount.words, TOO_SMALL: 'Enter an amount above 0.' },
    },
    { ...currency, path: `budget.${period}.currency`, label: 'Currency', when, required: true },
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
    pattern: /^\d{4,8}$/,
    attributes: { inputmode: 'numeric', autocomplete: 'one-time-code' },
    words: {
      REQUIRED: 'Enter the code.',
      MALFORMED: 'The code has 4 to 8 digits.',
      INCORRECT: 'This is not the code, or it has expired.',
    },
  },
  EMAIL_VERIFICATION: {
    label: 'Token of the link that the network sent you by e-mail',
    words: { REQUIRED: 'Enter the token.', INCORRECT: 'This is not the token of the link, or it has expired.' },
  },
};

export const solutionFields = (checkpointType) => [
  { fields: [{ label: 'What the network asks for', ...solutions[checkpointType], path: 'solution', required: true }] },
];
