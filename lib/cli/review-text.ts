/** How many cards are in review. Parked ones among them are named, because they are counted as parked, too. */
export function describeReview(inReview: number, parkedInReview: number): string {
  return `${inReview} in review${parkedInReview === 0 ? '' : ` (${parkedInReview} parked)`}`;
}
