/**
 * Runs in a page. Finds text whose contrast to what is behind it is less than WCAG AA asks for.
 * @returns the text and its contrast
 */
export function lowContrast(): string[] {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (canvas === null) throw new Error('no canvas');
  const rgba = (color: string) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = rgba(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): string => {
    for (let each = element; each !== null; each = each.parentElement) {
      const { backgroundColor } = getComputedStyle(each);
      if (rgba(backgroundColor)[3] === 255) return backgroundColor;
    }
    return 'white';
  };
  const low: string[] = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].flatMap((node) =>
      node.nodeType === 3 ? (node.textContent ?? '').trim() : [],
    );
    if (text.join('') === '' || element.closest('noscript, svg') !== null || element.getClientRects().length === 0)
      continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) low.push(`${text.join(' ')}: ${contrast.toFixed(2)}`);
  }
  return low;
}
