/** What was spent, in dollars; turns of unknown cost are named, because unknown is not zero. */
export function describeSpend(usd: number, turnsWithUnknownUsage: number): string {
  const turns = turnsWithUnknownUsage === 1 ? '1 turn' : `${turnsWithUnknownUsage} turns`;
  return `${usd.toFixed(2)} USD${turnsWithUnknownUsage === 0 ? '' : ` + ${turns} of unknown cost`}`;
}
