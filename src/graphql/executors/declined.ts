/** The reason against an executor or a plan. Not an Error: its stack would cost more than the reason. */
export class Declined {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
