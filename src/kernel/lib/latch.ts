/** Opens once: whoever waits is called back then, and whoever comes later at once. */
export class Latch {
  #waiting: (() => void)[] | null = [];

  wait(callback: () => void): void {
    if (this.#waiting === null) callback();
    else this.#waiting.push(callback);
  }

  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const callback of waiting) callback();
  }
}
