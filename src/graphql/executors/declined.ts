/**
 * Why an executor does not take an operation, or the compiler cannot say it in a plan. Not an Error: it is made for many
 * requests, and recording a stack would cost more than finding the reason.
 */
export class Declined {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
