/**
 * Why the executor takes over a request, or an operation with every request. Not an Error: it is thrown for many requests,
 * and recording a stack would cost more than finding the reason.
 */
export class Fallback {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
