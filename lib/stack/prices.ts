/** List prices in USD, us-east-1, looked up in November 2026. Free tiers are left out: they end, or others use them up. */
export const prices = {
  lambdaRequest: 0.2 / 1e6,
  /** Arm, per GB and second. */
  lambdaGbSecond: 0.0000133334,
  tableWrite: 0.625 / 1e6,
  tableRead: 0.125 / 1e6,
  tableGbMonth: 0.25,
  tableBackupGbMonth: 0.2,
  logGbIn: 0.5,
  logGbMonth: 0.03,
  secretMonth: 0.4,
  secretRead: 0.05 / 1e4,
  alarmMonth: 0.1,
  metricMonth: 0.3,
  dashboardMonth: 3,
  natHour: 0.045,
  publicAddressHour: 0.005,
  keyMonth: 1,
  /** Fargate on Arm and on x86, per processor, per GB of memory, and per GB of disk above 20, each for an hour. */
  taskHour: {
    ARM64: { cpu: 0.03238, memory: 0.00356, disk: 0.000111 },
    X86_64: { cpu: 0.04048, memory: 0.004445, disk: 0.000111 },
  },
} as const;
