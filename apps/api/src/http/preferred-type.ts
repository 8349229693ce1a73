/** Whether the caller prefers this media type to JSON. With equal weights, the one that it names first wins. */
export function prefersOverJson(wanted: string, accept = ''): boolean {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
  const [preferred] = ranges
    .filter(({ type, quality }) => (type === wanted || type === 'application/json') && quality > 0)
    .sort((one, other) => other.quality - one.quality);
  return preferred?.type === wanted;
}
