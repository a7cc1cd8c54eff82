import type { IssueCode } from './publishing.ts';

/** What is wrong with a field, in the words of this page. Put other languages here. */
const texts: Partial<Record<IssueCode, (limit: number | null) => string>> = {
  REQUIRED: () => 'Enter something.',
  TOO_SHORT: (limit) => (limit === 1 ? 'Enter something.' : `Enter at least ${limit} characters.`),
  TOO_LONG: (limit) => `Enter at most ${limit} characters.`,
  MALFORMED: () => 'This does not have the right form.',
  INCORRECT: () => 'This is not the right one.',
};

/** The text for an issue. A code without one has the message of the gateway, which is English. */
export const issueText = ({
  code,
  limit,
  message,
}: {
  code: IssueCode;
  limit: number | null;
  message: string;
}): string => texts[code]?.(limit) ?? message;
